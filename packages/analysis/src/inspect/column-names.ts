/** What the name of a column says about its numbers. */

/** Words of a name: "PassengerId" and "passenger_id" are "passenger", "id". */
function wordsOf(name: string): string[] {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const PEOPLE_AND_THINGS =
  'user|customer|client|order|row|sample|patient|case|student|subject|object|item|product|employee|person|record|transaction|account|member';
const GLUED_ID = new RegExp(`^(${PEOPLE_AND_THINGS})(id|no|nr)$`);

/** Whether a name says that its numbers identify something: id, user_id, PassengerId, "ID number". */
export function namesIdentifier(name: string): boolean {
  const words = wordsOf(name);
  return [words[0], words[words.length - 1]].some((word) => /^(id|uid|guid|uuid)$/.test(word) || GLUED_ID.test(word));
}

const ROW_NUMBER = new RegExp(
  `^(no|nr|num|number|index|idx|key|rownum|rowname|serial|obs|observation|respondent|${PEOPLE_AND_THINGS})$`,
);
/** What "number" and "index" are numbers of, so that they identify: a price index and the number of rooms do not. */
const NUMBERED = new RegExp(`^(serial|obs|observation|reference|ref|${PEOPLE_AND_THINGS})$`);

/** Whether a name fits numbers that are different in every row: no, index, key, case_no. On other numbers it says nothing. */
export function mayNameRows(name: string): boolean {
  const words = wordsOf(name);
  if (words.length === 1) return ROW_NUMBER.test(words[0]);
  const last = words[words.length - 1] ?? '';
  return /^(no|nr|num|number|index|idx|key)$/.test(last) && NUMBERED.test(words[words.length - 2]);
}

const CLASSES =
  /^(class|type|kind|group|grp|species|code|label|category|cat|cluster|target|sex|gender|race|ethnicity|region|country|state|treatment|treat|trt|diet|feed|variety|cultivar|genotype|origin|brand|colou?r|segment|stratum|occupation|religion|batch|block|site|cohort|department|dept|sector|industry)$/;
/** Names whose classes may be more than a few. */
const MANY_CLASSES = /^(code|stratum|zip|zipcode|postcode|fips)$/;

/**
 * Whether a name says that its numbers stand for classes. The last word decides, because it is what the numbers are: a
 * species_code, but not a group_size; or the first, as in type_of_car.
 */
export function namesClasses(name: string, many: boolean): boolean {
  const words = wordsOf(name);
  const word = words[1] === 'of' ? words[0] : words[words.length - 1];
  return (many ? MANY_CLASSES : CLASSES).test((word ?? '').replace(/\d+$/, ''));
}

/** Whether a name says that its numbers count time. */
export function namesTime(name: string): boolean {
  return wordsOf(name).some((word) =>
    /^(year|yr|date|day|month|week|quarter|time|period|hour|minute|second|t)$/.test(word),
  );
}
