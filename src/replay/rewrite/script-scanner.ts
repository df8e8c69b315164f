// Script scanner: notes the few places of a script that replay has to change, and what the script declares at its top.
//
// When the brackets do not add up in the end, the notes on declarations are not to be trusted: `isBalanced` says so. Linear
// in the text; never throws.

import { isIdentifierCode, ScriptLexer, type ScriptListener } from '../../formats/markup/script-lexer.ts'
import {
  clauseCharsMax,
  exportPattern,
  exportWordPattern,
  importPattern,
  memberPattern,
  metaUrlPattern,
} from '../../formats/markup/script-tokens.ts'
import { isScopeName, type ScopeName } from './script-names.ts'
import { newScriptNotes, type ScriptNotes, type TopDeclaration } from './script-notes.ts'

/** No word that matters is longer than `globalThis`. */
const wordCharsMax = 10

export class ScriptScanner implements ScriptListener {
  readonly #text: string
  readonly #lexer: ScriptLexer
  readonly notes = newScriptNotes()
  #openClass: TopDeclaration | undefined
  #declaring: { names: (name: string) => void; depth: number; isNameNext: boolean } | undefined

  constructor(text: string) {
    this.#text = text
    this.#lexer = new ScriptLexer(text, this)
  }

  scan(): ScriptNotes {
    this.#lexer.run()
    this.notes.isBalanced = this.#lexer.isBalanced
    return this.notes
  }

  word(word: string, start: number): void {
    this.#declareName(word)
    if (word.length <= wordCharsMax) this.#knownWord(word, start)
  }

  comma(): void {
    if (this.#declaring?.depth === this.#lexer.depth) this.#declaring.isNameNext = true
  }

  semicolon(): void {
    if (this.#declaring && this.#declaring.depth >= this.#lexer.depth) this.#declaring = undefined
  }

  closed(isClass: boolean): void {
    const { depth, position } = this.#lexer
    if (isClass && depth === 0 && this.#openClass !== undefined) {
      this.#openClass.end = position
      this.#openClass = undefined
    }
    if (this.#declaring && this.#declaring.depth > depth) this.#declaring = undefined
  }

  #knownWord(word: string, start: number): void {
    if (isScopeName(word)) this.#scopeName(word)
    else if (word === 'this') this.#this(start)
    else if (word === 'eval') this.#eval(start)
    else if (word === 'import') this.#import(start)
    else if (word === 'export') this.#export()
    else if (word === 'var') this.#var()
    else if (word === 'let' || word === 'const') this.#lexical(word, start)
    else if (word === 'class') this.#class(start)
    else if (word === 'function') this.#function()
  }

  #scopeName(word: ScopeName): void {
    this.notes.used.add(word)
    if (word !== 'location') return
    const next = this.#lexer.skipSpace(this.#lexer.position)
    if (this.#text.charCodeAt(next) !== 0x3d) return
    const after = this.#text.charCodeAt(next + 1)
    const isDeclared = /^(?:var|let|const)$/.test(this.#lexer.last)
    if (after !== 0x3d && after !== 0x3e && !isDeclared) this.notes.locationPlaces.push(next + 1)
  }

  /** Only as a value: `this.x` reaches wombat's stand-in only where x is one of the names. */
  #this(start: number): void {
    const text = this.#text
    const next = this.#lexer.skipSpace(this.#lexer.position)
    const code = text.charCodeAt(next)
    if (code === 0x2e) {
      memberPattern.lastIndex = next
      if (memberPattern.test(text)) this.notes.thisPlaces.push(start)
      return
    }
    // A key of an object, or the name of a method.
    if (code === 0x3a && this.#lexer.last !== '?') return
    if (code === 0x28 || code === 0x5b || code === 0x3d) return
    this.notes.thisPlaces.push(start)
  }

  #eval(start: number): void {
    if (this.#lexer.nextCode() !== 0x28 || this.#lexer.last === 'function') return
    const end = this.#lexer.skipSpace(this.#lexer.position) + 1
    this.notes.evalPlaces.push({ start, end, text: '' })
  }

  #import(start: number): void {
    const text = this.#text
    const next = this.#lexer.skipSpace(this.#lexer.position)
    const code = text.charCodeAt(next)
    if (code === 0x28) {
      if (this.#lexer.last !== 'async' && this.#lexer.last !== 'function')
        this.notes.importPlaces.push({ start, end: next + 1, text: '' })
      return
    }
    if (code === 0x2e) {
      this.notes.isModule = true
      metaUrlPattern.lastIndex = next
      const meta = metaUrlPattern.exec(text)
      if (meta !== null) this.notes.metaUrlPlaces.push({ start, end: next + meta[0].length, text: '' })
      return
    }
    if (this.#lexer.depth > 0) return
    if (this.#lexer.lookaheadLeft <= 0) return
    importPattern.lastIndex = next
    const match = importPattern.exec(text)
    if (match === null) {
      this.#lexer.lookaheadLeft -= clauseCharsMax
      return
    }
    this.notes.isModule = true
    for (const name of match[1]!.match(/[\w$]+/g) ?? []) this.notes.taken.add(name)
    this.#specifier(next + match[0].length, match[2]!)
  }

  #export(): void {
    if (this.#lexer.depth > 0 || this.#lexer.lookaheadLeft <= 0) return
    const next = this.#lexer.skipSpace(this.#lexer.position)
    exportPattern.lastIndex = next
    const match = exportPattern.exec(this.#text)
    if (match === null) {
      this.#lexer.lookaheadLeft -= clauseCharsMax
      exportWordPattern.lastIndex = next
      if (exportWordPattern.test(this.#text)) this.notes.isModule = true
      return
    }
    this.notes.isModule = true
    if (match[1] !== undefined) this.#specifier(next + match[0].length, match[1])
  }

  /** `start` is just past the opening quote. */
  #specifier(start: number, quote: string): void {
    const end = this.#text.indexOf(quote, start)
    if (end !== -1 && end - start < 4_096) this.notes.specifiers.push({ start, end })
  }

  #var(): void {
    if (this.#lexer.functionDepth > 0) return
    this.#declare((name) => this.notes.taken.add(name))
  }

  #lexical(kind: 'let' | 'const', start: number): void {
    if (this.#lexer.depth > 0) return
    const code = this.#lexer.nextCode()
    const startsName = code === 0x7b || code === 0x5b || isIdentifierCode(code)
    if (!startsName) return
    const names: string[] = []
    this.notes.declarations.push({ kind, start, names, end: 0 })
    this.#declare((name) => names.push(name))
  }

  #declare(names: (name: string) => void): void {
    const next = this.#lexer.skipSpace(this.#lexer.position)
    const code = this.#text.charCodeAt(next)
    if (code === 0x7b || code === 0x5b) {
      // A pattern: whatever name is in it may be declared by it.
      for (const name of this.#text
        .slice(next, next + 500)
        .split('=', 1)[0]!
        .match(/[\w$]+/g) ?? [])
        names(name)
    }
    this.#declaring = { names, depth: this.#lexer.depth, isNameNext: code !== 0x7b && code !== 0x5b }
  }

  #declareName(word: string): void {
    const declaring = this.#declaring
    if (declaring === undefined || !declaring.isNameNext || this.#lexer.depth !== declaring.depth) return
    declaring.isNameNext = false
    declaring.names(word)
  }

  #class(start: number): void {
    this.#lexer.awaitClassBody()
    if (this.#lexer.depth > 0 || this.#openClass !== undefined || !this.#lexer.isStatementStart) return
    const name = this.#lexer.wordAt(this.#lexer.skipSpace(this.#lexer.position))
    if (name === '' || name === 'extends') return
    this.#openClass = { kind: 'class', start, names: [name], end: 0 }
    this.notes.declarations.push(this.#openClass)
  }

  #function(): void {
    this.#lexer.awaitParameters()
    if (this.#lexer.depth > 0) return
    if (this.#lexer.last !== 'async' && !this.#lexer.isStatementStart) return
    let next = this.#lexer.skipSpace(this.#lexer.position)
    if (this.#text.charCodeAt(next) === 0x2a) next = this.#lexer.skipSpace(next + 1)
    const name = this.#lexer.wordAt(next)
    if (name !== '') this.notes.functions.push(name)
  }
}
