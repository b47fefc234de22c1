// The TextMate grammar with VS Code's own tokenizer: node grammar.mjs INSTALLED REPOSITORY

import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { assert, check, close } from './checks.mjs';

const [installed, repository] = process.argv.slice(2);
const modules = createRequire(path.join(installed, 'node_modules/code-server/lib/vscode/out/server-main.js'));
const oniguruma = modules('vscode-oniguruma');
const textmate = modules('vscode-textmate');
const file = path.join(repository, 'editors/vscode/syntaxes/litmus.tmLanguage.json');

await oniguruma.loadWASM(readFileSync(modules.resolve('vscode-oniguruma/release/onig.wasm')).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(readFileSync(file, 'utf8'), file),
});
const grammar = await registry.loadGrammar('source.litmus');

/** Each piece of text with the innermost scopes it has. */
function tokens(text) {
  let stack = textmate.INITIAL;
  return text.split('\n').flatMap((line) => {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    return result.tokens.map((token) => ({ text: line.slice(token.startIndex, token.endIndex).trim(), scopes: token.scopes.join(' ') }));
  });
}

function has(text, wanted) {
  const found = tokens(text);
  for (const [piece, scope] of wanted) {
    const token = found.find((it) => it.text === piece);
    assert(token, `“${piece}” is no token of its own: ${found.map((it) => it.text).join(' ¦ ')}`);
    assert(token.scopes.includes(scope), `“${piece}” has ${token.scopes}, not ${scope}`);
  }
}

await check('grammar: the native dialect', () =>
  has(readFileSync(path.join(repository, 'tests/litmus/native/SB.litmus'), 'utf8'), [
    ['litmus', 'keyword.other.dialect'],
    ['SB', 'entity.name.section'],
    ['shared', 'storage.type'],
    ['thread', 'storage.type.thread'],
    ['P0', 'entity.name.function.thread'],
    ['exists', 'keyword.control.condition'],
    ['/\\', 'keyword.operator.logical'],
    ['expect', 'keyword.other.expect'],
    ['TSO', 'support.constant.model'],
    ['never', 'constant.language.verdict'],
  ]),
);

await check('grammar: herd columns', () =>
  has(readFileSync(path.join(repository, 'tests/litmus/herd/SB.litmus'), 'utf8'), [
    ['X86', 'keyword.other.dialect'],
    ['P1', 'entity.name.function.thread'],
    ['MOV', 'support.function.instruction'],
    ['EAX', 'variable.parameter.register'],
    ['$1', 'constant.numeric'],
    ['|', 'punctuation.separator.column'],
    ['exists', 'keyword.control.condition'],
    ['sometimes', 'constant.language.verdict'],
  ]),
);

await check('grammar: AT&T instructions, metadata, labels and jumps', () =>
  has(
    'X86_64 a\nCycle=Rfe PodRR\n{ uint64_t x; 0:rax=1; }\n P0 ;\n movq $1,(x) ;\n jne L0 ;\n mfence ;\n L0: ;\n movq (x),%rax ;\nforall (0:rax=1)',
    [
      ['Cycle', 'entity.other.attribute-name'],
      ['uint64_t', 'storage.type'],
      ['movq', 'support.function.instruction'],
      ['jne', 'keyword.control.jump'],
      ['mfence', 'keyword.control.fence'],
      ['L0', 'entity.name.label'],
      ['%rax', 'variable.parameter.register'],
      ['forall', 'keyword.control.condition'],
    ],
  ),
);

await check('grammar: nested comments end where they should', () =>
  has('litmus a\n(* one (* two *) still *)\nthread P0 { // note\n x = 1; /* c */ mfence;\n}', [
    ['still', 'comment.block.nested'],
    ['thread', 'storage.type.thread'],
    ['note', 'comment.line'],
    ['mfence', 'keyword.control.fence'],
  ]),
);

await check('grammar: every test of the repository has its dialect and condition coloured', () => {
  for (const folder of ['native', 'herd', 'herd/att']) {
    const under = path.join(repository, 'tests/litmus', folder);
    for (const name of readdirSync(under).filter((it) => it.endsWith('.litmus'))) {
      const text = readFileSync(path.join(under, name), 'utf8');
      const found = tokens(text);
      assert(found.some((it) => it.scopes.includes('keyword.other.dialect')), `${name}: no dialect`);
      const conditions = (text.replace(/^.*\n/, '').replace(/"[^"]*"/g, '').match(/\b(exists|forall)\b/g) ?? []).length;
      const coloured = found.filter((it) => /^(exists|forall)$/.test(it.text) && it.scopes.includes('keyword.control.condition')).length;
      assert(conditions === coloured, `${name}: ${coloured} of ${conditions} conditions are coloured`);
    }
  }
});

process.exit(close('grammar'));
