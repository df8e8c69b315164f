// Script links: the addresses that stand in a script as literals, where a browser would load them.
//
// Found are static `import` and `export … from`, `import()`, workers, `importScripts`, `fetch`, XMLHttpRequest's `open`, worklets'
// `addModule`, and `new URL('…', import.meta.url)`. Addresses that a script puts together at run time need a browser.
//
// Modules and `importScripts` are resolved against the script; what a script asks for is resolved against its document, which is
// itself in a worker. What is sent (`POST`) is left out: a crawler only asks. A specifier that is no address (`react`) is looked up in the page's import map, and is nothing without one.
// Linear in the text; never throws.

import { ScriptLexer, type ScriptListener } from '../../formats/markup/script-lexer.ts'
import { exportPattern, importPattern } from '../../formats/markup/script-tokens.ts'
import type { ImportMap } from './html/import-map.ts'
import type { LinkSource } from './link-source.ts'

/** `script`: relative to the script. `document`: relative to the page that runs it. */
type ScriptBase = 'script' | 'document'
type FoundInScript = (written: string, source: LinkSource, base: ScriptBase) => void

const anyOfInterest = /\b(?:import|importScripts|export|Worker|SharedWorker|fetch|XMLHttpRequest|addModule)\b/
const addressSpecifier = /^(?:\.{0,2}\/|https?:)/i
/** Longer ones are data. */
const literalCharsMax = 2_000
const scriptsMax = 32
const askingPattern = /\(\s*(?:"(?:get|head)"|'(?:get|head)')\s*,/iy
/** The second argument of `fetch`, up to the method that it names. */
const sendingPattern = /^\s*,\s*\{(?:[^{}]|\{[^{}]*\})*?\bmethod["']?\s*:\s*["'`](?!get\b|head\b)/i
const optionsCharsMax = 1_000
/** What only workers have, and what they lack. */
const workerWords = /\b(?:importScripts|onconnect|onmessage|postMessage|WorkerGlobalScope)\b/
const windowWords = /\b(?:document|window)\b/
const argumentPattern = /\(\s*(?:new\s+(?:\w+\.)?URL\s*\(\s*)?/y
const metaUrlArgument = /\s*,\s*import\s*\.\s*meta\s*\.\s*url\b/y

export function scanScript(text: string, found: FoundInScript, importMap?: ImportMap): void {
  if (anyOfInterest.test(text)) new ScriptLinks(text, found, importMap).scan()
}

/** By its words: what asked for a script may have been a page that starts a worker, or one that runs the script. */
export function isWorkerScript(text: string): boolean {
  return workerWords.test(text) && !windowWords.test(text)
}

class ScriptLinks implements ScriptListener {
  readonly #text: string
  readonly #found: FoundInScript
  readonly #importMap: ImportMap | undefined
  readonly #lexer: ScriptLexer

  constructor(text: string, found: FoundInScript, importMap: ImportMap | undefined) {
    this.#text = text
    this.#found = found
    this.#importMap = importMap
    this.#lexer = new ScriptLexer(text, this)
  }

  scan(): void {
    this.#lexer.run()
  }

  word(word: string): void {
    const isNew = this.#lexer.last === 'new'
    if (word === 'import') this.#import()
    else if (word === 'export') this.#export()
    else if (word === 'fetch') this.#call('script fetch')
    else if (word === 'importScripts') this.#importScripts()
    else if (word === 'URL' && isNew) this.#moduleUrl()
    else if ((word === 'Worker' || word === 'SharedWorker') && isNew) this.#call('script worker')
  }

  member(word: string): void {
    if (word === 'fetch') this.#call('script fetch')
    else if (word === 'addModule') this.#call('script worker')
    else if (word === 'importScripts') this.#importScripts()
    else if (word === 'Worker' || word === 'SharedWorker') this.#call('script worker')
    else if (word === 'open') this.#request()
  }

  comma(): void {}
  semicolon(): void {}
  closed(): void {}

  /** Static, or `import()`. */
  #import(): void {
    const { position } = this.#lexer
    const start = this.#lexer.skipSpace(position)
    const next = this.#text[start]
    if (next === '(') {
      this.#specifier(this.#lexer.skipSpace(start + 1))
      return
    }
    importPattern.lastIndex = position
    if (next !== '.' && importPattern.test(this.#text)) this.#specifier(importPattern.lastIndex - 1)
  }

  #export(): void {
    exportPattern.lastIndex = this.#lexer.skipSpace(this.#lexer.position)
    if (exportPattern.exec(this.#text)?.[1] !== undefined) this.#specifier(exportPattern.lastIndex - 1)
  }

  #specifier(start: number): void {
    const specifier = this.#literal(start)?.value
    if (specifier === undefined) return
    const mapped = this.#importMap?.resolve(specifier)
    if (mapped !== undefined) this.#found(mapped, 'script import', 'document')
    else if (addressSpecifier.test(specifier)) this.#found(specifier, 'script import', 'script')
  }

  /** The first argument, if it is a literal. `new URL('…', import.meta.url)` is found as a URL by itself. */
  #call(source: LinkSource): void {
    argumentPattern.lastIndex = this.#lexer.skipSpace(this.#lexer.position)
    const argument = argumentPattern.exec(this.#text)?.[0]
    if (argument === undefined || argument.includes('URL')) return
    const literal = this.#literal(argumentPattern.lastIndex)
    if (literal === undefined || this.#isSending(literal.end)) return
    this.#found(literal.value, source, 'document')
  }

  #isSending(argumentEnd: number): boolean {
    return sendingPattern.test(this.#text.slice(argumentEnd, argumentEnd + optionsCharsMax))
  }

  #moduleUrl(): void {
    const open = this.#lexer.skipSpace(this.#lexer.position)
    if (this.#text[open] !== '(') return
    const literal = this.#literal(this.#lexer.skipSpace(open + 1))
    if (literal === undefined) return
    metaUrlArgument.lastIndex = literal.end
    if (metaUrlArgument.test(this.#text)) this.#found(literal.value, 'script url', 'script')
  }

  #importScripts(): void {
    let position = this.#lexer.skipSpace(this.#lexer.position)
    for (let count = 0; count < scriptsMax && '(,'.includes(this.#text[position] ?? ' '); count++) {
      const literal = this.#literal(this.#lexer.skipSpace(position + 1))
      if (literal === undefined) return
      this.#found(literal.value, 'script import', 'script')
      position = this.#lexer.skipSpace(literal.end)
    }
  }

  /** `request.open('GET', '…')`. */
  #request(): void {
    askingPattern.lastIndex = this.#lexer.skipSpace(this.#lexer.position)
    if (!askingPattern.test(this.#text)) return
    const literal = this.#literal(this.#lexer.skipSpace(askingPattern.lastIndex))
    if (literal !== undefined) this.#found(literal.value, 'script fetch', 'document')
  }

  /** A string, or a template without substitutions, that stands alone: not the first part of one that is put together. */
  #literal(start: number): { value: string; end: number } | undefined {
    const text = this.#text
    const quote = text[start]
    if (quote !== '"' && quote !== "'" && quote !== '`') return undefined
    for (let end = start + 1; end < text.length && end - start <= literalCharsMax; end++) {
      const character = text[end]
      if (character === quote) {
        const value = unescaped(text.slice(start + 1, end))
        const isWhole = !/[+.]/.test(text[this.#lexer.skipSpace(end + 1)] ?? '')
        return isWhole && isAddress(value) ? { value, end: end + 1 } : undefined
      }
      if (character === '\\') end++
      else if (character === '\n' || (quote === '`' && text.startsWith('${', end))) return undefined
    }
    return undefined
  }
}

/** Most strings in scripts are no addresses; what has spaces or brackets in it surely is none. */
function isAddress(value: string): boolean {
  return value !== '' && !/[\s<>{}"`\\^|]/.test(value) && !/^(?:data|blob|javascript|about):/i.test(value)
}

function unescaped(written: string): string {
  if (!written.includes('\\')) return written
  return written.replace(/\\(?:u([\da-f]{4})|x([\da-f]{2})|(.))/gis, (_, unicode, byte, other) =>
    other === undefined ? String.fromCharCode(Number.parseInt(unicode ?? byte, 16)) : other,
  )
}
