/** Tells from the name of a column what its numbers are. */

/** The words of a name: "PassengerId" and "passenger_id" give "passenger", "id". */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const PEOPLE_AND_THINGS =
  'user|customer|client|order|row|sample|patient|case|student|subject|object|item|product|employee|person|record|transaction|account|member';
const GLUED_ID = new RegExp(`^(${PEOPLE_AND_THINGS})(id|no|nr)$`);

/** Returns true for names of identifiers: id, user_id, PassengerId, "ID number". */
export function namesIdentifier(name: string): boolean {
  const words = wordsOf(name);
  return [words[0], words[words.length - 1]].some((word) => /^(id|uid|guid|uuid)$/.test(word) || GLUED_ID.test(word));
}

const ROW_NUMBER = new RegExp(
  `^(no|nr|num|number|index|idx|key|rownum|rowname|serial|obs|observation|respondent|${PEOPLE_AND_THINGS})$`,
);
/** Words before "number" and "index" that make an identifier. A price index and the number of rooms are none. */
const NUMBERED = new RegExp(`^(serial|obs|observation|reference|ref|${PEOPLE_AND_THINGS})$`);

/** Returns true for names that fit numbers that differ in every row: no, index, key, case_no. */
export function mayNameRows(name: string): boolean {
  const words = wordsOf(name);
  if (words.length === 1) return ROW_NUMBER.test(words[0]);
  const last = words[words.length - 1] ?? '';
  return /^(no|nr|num|number|index|idx|key)$/.test(last) && NUMBERED.test(words[words.length - 2]);
}

const CLASSES =
  /^(class|type|kind|group|grp|species|code|label|category|cat|cluster|target|sex|gender|race|ethnicity|region|country|state|treatment|treat|trt|diet|feed|variety|cultivar|genotype|origin|brand|colou?r|segment|stratum|occupation|religion|batch|block|site|cohort|department|dept|sector|industry)$/;
/** Names that may have many classes. */
const MANY_CLASSES = /^(code|stratum|zip|zipcode|postcode|fips)$/;

/**
 * Returns true for names whose numbers are codes of classes. The last word decides: species_code, but not group_size; or the first
 * word, as in type_of_car.
 */
export function namesClasses(name: string, many: boolean): boolean {
  const words = wordsOf(name);
  const word = words[1] === 'of' ? words[0] : words[words.length - 1];
  return (many ? MANY_CLASSES : CLASSES).test((word ?? '').replace(/\d+$/, ''));
}

/** Returns true for names of times. */
export function namesTime(name: string): boolean {
  return wordsOf(name).some((word) =>
    /^(year|yr|date|day|month|week|quarter|time|period|hour|minute|second|t)$/.test(word),
  );
}
