// Script rewriter: JavaScript → the same, run in a scope where `window`, `location` and their kind are wombat's stand-ins.
//
// A classic script is put into a block that declares the names it uses: `{let location=…;{ … }}`, on its own first line, so
// that line numbers stay. What it declares at the top must be seen by other scripts as before: functions are handed out at
// the block's start, `let`, `const` and `class` become `var`. A module imports the names instead, and is asked for by an
// address of its own kind. Names that the script declares itself are left to it.
//
// Beyond that, `this` as a value, `location = …`, `eval(…)` and `import(…)` are put the way wombat expects them.
// `.postMessage(…)` is not: wombat would have it name its window, which other windows, all of other origins here, refuse.
// Strings, comments and regular expressions are never touched. Never throws; linear in the text.

import type { RewriteLink } from './css-rewriter.ts'
import {
  assignFunction,
  checkThisFunction,
  isScopeName,
  type ScopeName,
  scopeNames,
  windowProperties,
  worthScanning,
} from './script-names.ts'
import type { Edit, ScriptNotes, TopDeclaration } from './script-notes.ts'
import { ScriptScanner } from './script-scanner.ts'

export type ScriptKind = 'classic' | 'module' | 'worker' | 'module-worker' | 'handler'

export interface ScriptContext {
  readonly rewriteLink: RewriteLink
  /** Where a module finds the names: an address. */
  readonly scopeModule: string
  /** Of a script in a file of its own; what stands in a page has the page's. */
  readonly scriptUrl?: string | undefined
}

export function rewriteScript(text: string, kind: ScriptKind, context: ScriptContext): string {
  return worthScanning.test(text) && !text.includes(assignFunction)
    ? rewriteScanned(text, kind, context)
    : text
}

function rewriteScanned(text: string, kind: ScriptKind, context: ScriptContext): string {
  const notes = new ScriptScanner(text).scan()
  const isModule = kind === 'module' || kind === 'module-worker' || (kind === 'classic' && notes.isModule)
  const isWorker = kind === 'worker' || kind === 'module-worker'
  const edits: Edit[] = [...importEdits(notes, isModule, context.scriptUrl)]
  if (!isWorker) for (const edit of windowEdits(notes)) edits.push(edit)
  if (isModule) {
    for (const edit of specifierEdits(text, notes, isWorker ? 'wkrm_' : 'esm_', context.rewriteLink))
      edits.push(edit)
    for (const { start, end } of notes.metaUrlPlaces) edits.push({ start, end, text: originalMetaUrl })
    const names = isWorker ? [] : freeNames(notes).filter((name) => !declaresAtTop(notes, name))
    const scope =
      names.length === 0 ? '' : `import{${names.join(',')}}from${JSON.stringify(context.scopeModule)};`
    return scope + withEdits(text, edits)
  }
  if (isWorker) return withEdits(text, edits)
  const names = freeNames(notes)
  if (names.length === 0) return withEdits(text, edits)
  if (kind === 'classic' && notes.isBalanced) for (const edit of declarationEdits(notes)) edits.push(edit)
  const end = kind === 'handler' ? '\n}}' : '\n}}\n'
  // `-->` is a comment at the start of a line only.
  const start = scopeStart(names, kind, notes) + (/^\s*-->/.test(text) ? '\n' : '')
  return start + withEdits(text, edits) + end
}

/** On one line, with single quotes: it also has to stand in attributes. */
function scopeStart(names: readonly ScopeName[], kind: ScriptKind, notes: ScriptNotes): string {
  const declared = names.map((name) => `${name}=${assignFunction}('${name}')`).join(',')
  const handedOut =
    kind === 'classic' && notes.isBalanced
      ? [...new Set(notes.functions)].map((name) => `this.${name}=${name};`).join('')
      : ''
  // `location = …` asks for `arguments`, which there are none of outside of functions.
  const noArguments = kind === 'classic' && notes.locationPlaces.length > 0 ? ',arguments' : ''
  return `{let ${declared}${noArguments};{${handedOut}`
}

/** What the script uses and does not declare itself. */
function freeNames(notes: ScriptNotes): ScopeName[] {
  return scopeNames.filter((name) => notes.used.has(name) && !notes.taken.has(name))
}

function declaresAtTop({ declarations, functions }: ScriptNotes, name: string): boolean {
  return functions.includes(name) || declarations.some(({ names }) => names.includes(name))
}

function* windowEdits(notes: ScriptNotes): Iterable<Edit> {
  for (const start of notes.thisPlaces) yield { start, end: start + 4, text: `${checkThisFunction}(this)` }
  // Safe also where `location` is declared just there, as in `({ location = 1 }) => …`.
  for (const start of notes.locationPlaces) {
    const check = '()=>{try{return self.__WB_check_loc(location,arguments)}catch{}}'
    yield { start, end: start, text: `((self.__WB_check_loc&&(${check})())||{}).href=` }
  }
  for (const { start, end } of notes.evalPlaces) yield { start, end, text: evalCall }
}

const originalMetaUrl = '(globalThis._wb_wombat?.extract_orig(import.meta.url)??import.meta.url)'

const evalCall =
  'WB_wombat_runEval2((_______eval_arg,isGlobal)=>{var ge=eval;return isGlobal?ge(_______eval_arg):eval(_______eval_arg)}).eval(this,(function(){return arguments})(),'

function* importEdits(notes: ScriptNotes, isModule: boolean, url: string | undefined): Iterable<Edit> {
  const base = isModule ? 'import.meta.url' : url === undefined ? 'null' : JSON.stringify(url)
  for (const { start, end } of notes.importPlaces)
    yield { start, end, text: `____wb_rewrite_import__(${base},` }
}

/** Absolute ones and those from the root: relative ones are resolved against the address, which serves as well, and bare
 * names are for the import map. */
function* specifierEdits(
  text: string,
  notes: ScriptNotes,
  modifier: 'esm_' | 'wkrm_',
  rewriteLink: RewriteLink,
): Iterable<Edit> {
  for (const { start, end } of notes.specifiers) {
    const written = text.slice(start, end)
    const rewritten = /^(?:https?:)?\//i.test(written) ? rewriteLink(written, modifier) : undefined
    if (rewritten !== undefined) yield { start, end, text: rewritten }
  }
}

function* declarationEdits(notes: ScriptNotes): Iterable<Edit> {
  for (const declaration of notes.declarations) {
    if (declaration.names.some((name) => isScopeName(name) || windowProperties.has(name))) continue
    if (declaration.kind === 'class') yield* classEdits(declaration)
    else yield { start: declaration.start, end: declaration.start + declaration.kind.length, text: 'var' }
  }
}

function* classEdits({ start, end, names }: TopDeclaration): Iterable<Edit> {
  if (end === 0) return
  yield { start, end: start, text: `var ${names[0]}=` }
  // The declaration needed no semicolon; the expression does.
  yield { start: end, end, text: ';' }
}

function withEdits(text: string, edits: Edit[]): string {
  if (edits.length === 0) return text
  edits.sort((left, right) => left.start - right.start || left.end - right.end)
  let written = ''
  let copied = 0
  for (const { start, end, text: replacement } of edits) {
    if (start < copied) continue
    written += text.slice(copied, start) + replacement
    copied = end
  }
  return written + text.slice(copied)
}
