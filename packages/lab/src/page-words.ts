/** What the library says, in the words of the page: it counts rows from 0, and its advice is for programs. */

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/, or use scale: 'unit'\./, ', or divide the columns by their standard deviation (see Fit).'],
  [
    /Use solver: 'svd', or scale the columns/,
    'Choose the solver svd, or divide the columns by their standard deviation',
  ],
  [/Use a smaller tolerance, or solver: 'svd'/, 'Choose the solver svd'],
  [/Use a larger tolerance or another solver; the error's `best` is the model so far\./, 'Choose another solver.'],
  [/, or a smaller k\./, '.'],
  // A file that cannot be read has no columns to choose from.
  [/ Correct it, exclude the column, or /, ' Correct it, or '],
  [/ Correct it, or exclude the column\./, ' Correct it.'],
  [/ Exclude it, or make /, ' Make '],
  [/ Exclude the column, or make /, ' Make '],
  [/, or exclude it\./, '.'],
  [/, or allow more memory\./, '.'],
  [/ Allow more memory, or unpack it first\./, ' Unpack it first.'],
  [/ Allow more memory, or write it in smaller batches\./, ' Write it in smaller batches.'],
  [/ Allow more memory, or save the data in another format\./, ' Save the data in another format.'],
  [/ Allow more memory\./, ' That is too much for a page; the command can be given more memory.'],
];

export function pageWords(message: string): string {
  return ADVICE.reduce((text, [theirs, ours]) => text.replace(theirs, ours), message);
}

/** The same about a file, whose rows are counted from 1 here. What stands in quotes, and the file's name, are not ours to count. */
export function pageWordsOfFile(message: string, name: string): string {
  const counted = message
    .split(name)
    .map((part) =>
      part.replace(/"(?:[^"\\]|\\.)*"|\b([Rr]ow) (\d+)\b/g, (found, row: string | undefined, number: string) =>
        row === undefined ? found : `${row} ${Number(number) + 1}`,
      ),
    );
  return pageWords(counted.join(name));
}
