/** What every environment that has files must be able to do. Returns a line. */
export async function checkScree(scree, folder, writeFileSync) {
  const path = `${folder}/rows.csv`;
  writeFileSync(path, 'a,b\n1,2\n3,5\n4,4\n8,9\n');
  const file = await scree.openFile(path);
  const model = await scree.pca(file.source, { k: 1 });
  await file.close();
  await scree.writeModel(`${folder}/model.json`, model);
  const same = await scree.readModel(`${folder}/model.json`);
  if (same.variances[0] !== model.variances[0]) throw new Error('Not as expected: a model on disk');
  const { html } = await scree.makeReport({
    model,
    source: [
      [1, 2],
      [3, 5],
      [4, 4],
      [8, 9],
    ],
    title: 'Four rows',
  });
  if (!html.includes('<svg')) throw new Error('Not as expected: a report');
  return 'scree on disk works';
}
