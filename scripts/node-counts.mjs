// A reporter for node --test: it writes "NAME PASSED FAILED SKIPPED", NAME
// being the environment's COUNT_AS. Suites are not counted: their tests are.
export default async function* counts(events) {
  let passed = 0, failed = 0, skipped = 0;
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite') continue;
    if (type === 'test:fail') failed++;
    else if (data.skip !== undefined || data.todo !== undefined) skipped++;
    else passed++;
  }
  yield `${process.env.COUNT_AS} ${passed} ${failed} ${skipped}\n`;
}
