// Says in words what a step does, for the caption and for screen readers.

import type { Step, Witness } from '../../protocol';

export function describeStep(witness: Witness, position: number): string {
  const step = witness.steps[position - 1];
  if (!step) {
    return 'Nothing has run. Press → to take the first step.';
  }
  return `${threadName(witness, step)}: ${step.text.replace(/^⤷\s*/, '')}. ${explain(witness, step)}`;
}

function explain(witness: Witness, step: Step): string {
  const thread = threadName(witness, step);
  const stored = `${step.location} = ${step.value}`;
  switch (step.kind) {
    case 'write':
      return step.changed.some((change) => change.startsWith('buffer:'))
        ? `The store waits in ${thread}'s buffer; no other thread sees it yet.`
        : 'The store is in memory; every thread sees it.';
    case 'flush':
      return `${stored} leaves ${thread}'s buffer and reaches memory.`;
    case 'read':
      return `Reads ${step.value}, ${origin(witness, step)}.`;
    case 'rmw':
      return `Reads and writes in one step, ${origin(witness, step)}; the buffer is empty.`;
    case 'fence':
      return 'Goes on once the stores before it have left the buffer.';
    case 'lock':
      return 'Takes the lock.';
    case 'unlock':
      return 'Gives the lock back.';
    case 'stop':
      return 'The thread stops here.';
  }
}

function origin(witness: Witness, step: Step): string {
  if (step.source === 'initial') {
    return 'the initial value';
  }
  const store = step.source === null ? undefined : witness.steps[step.source];
  if (!store) {
    return 'from memory';
  }
  const line = store.range ? `, line ${store.range.start.line + 1}` : '';
  const own = store.thread === step.thread ? `${threadName(witness, store)} itself` : threadName(witness, store);
  return `stored by ${own}${line} (step ${store.index + 1})`;
}

export function threadName(witness: Witness, step: Step): string {
  return witness.threads[step.thread] ?? `thread ${step.thread}`;
}
