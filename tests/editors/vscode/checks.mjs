// Names each thing that must be seen, waits for it, and prints `ok` or `not ok`.

let failed = 0;

/** Runs one named check; a failure is printed and the run goes on. */
export async function check(name, run, onFailure = async () => {}) {
  const start = Date.now();
  try {
    await run();
    console.log(`ok - ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    return true;
  } catch (error) {
    failed += 1;
    console.log(`not ok - ${name}`);
    console.log(String(error?.stack ?? error).split('\n').slice(0, 8).map((line) => `    ${line}`).join('\n'));
    await onFailure(name).catch(() => {});
    return false;
  }
}

export function assert(condition, message) {
  if (!condition) {
    throw new Error(message);
  }
}

/** Polls until `look` gives something true; `describe` tells what was there instead. */
export async function until(what, look, { timeout = 20000, describe = async () => '' } = {}) {
  const end = Date.now() + timeout;
  for (;;) {
    const found = await look();
    if (found) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`waited ${timeout / 1000} s for: ${what}\n${await describe()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The closing line; the runner takes a run without it for a failed one. */
export function close(suite) {
  console.log(`# ${suite} closed`);
  return failed === 0 ? 0 : 1;
}
