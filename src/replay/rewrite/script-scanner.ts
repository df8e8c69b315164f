// Script scanner: walks over JavaScript once, knows code from strings, comments, templates and regular expressions, and
// notes the few places that replay has to change.
//
// Not a parser: brackets are counted and the last token is remembered, which is enough to tell a division from a regular
// expression in all but contrived code, and a declaration at the top from one within. When the brackets do not add up in
// the end, the notes on declarations are not to be trusted: `isBalanced` says so. Linear in the text; never throws.

import { isScopeName, type ScopeName } from './script-names.ts'
import { newScriptNotes, type ScriptNotes, type TopDeclaration } from './script-notes.ts'
import {
  clauseCharsMax,
  endOfRegex,
  exportPattern,
  exportWordPattern,
  importPattern,
  lineLength,
  memberPattern,
  metaUrlPattern,
  namePattern,
} from './script-tokens.ts'

const paren = 1
const conditionParen = 2
const bracket = 3
const brace = 4
const functionBrace = 5
const templateBrace = 6
const parameterParen = 7
const classBrace = 8

/** What came last: nothing or something after which a value starts, or a value after which an operator comes. */
const regexWords = new Set(
  'return typeof instanceof in of new delete void throw case do else yield await default extends'.split(' '),
)
const conditionWords = new Set(['if', 'while', 'for', 'with'])

const identifierClass = new Uint8Array(256)
for (let code = 0; code < 256; code += 1) {
  const character = String.fromCharCode(code)
  if (/[\w$]/.test(character) || code >= 0x80) identifierClass[code] = 1
}

export class ScriptScanner {
  readonly #text: string
  readonly #stack: number[] = []
  readonly notes = newScriptNotes()
  #position = 0
  #functionDepth = 0
  /** The last token that is neither space nor comment: a word, or one character. */
  #last = ''
  #isLastWord = false
  #isLastValue = false
  #lastPoppedParen = 0
  #awaitsParameters = false
  #openClass: TopDeclaration | undefined
  /** A class or function whose body is next to be opened. */
  #awaitsClassBody = false
  /** Characters that may still be looked at in vain: a text of nothing but `/[` must not take quadratic time. */
  #lookaheadLeft: number
  #declaring: { names: (name: string) => void; depth: number; isNameNext: boolean } | undefined

  constructor(text: string) {
    this.#text = text
    this.#lookaheadLeft = 2 * text.length + 100_000
  }

  scan(): ScriptNotes {
    const text = this.#text
    while (this.#position < text.length) this.#step(text.charCodeAt(this.#position))
    this.notes.isBalanced &&= this.#stack.length === 0
    return this.notes
  }

  #step(code: number): void {
    if (code <= 0x20) this.#position += 1
    else if (code > 0xff || identifierClass[code] === 1) this.#word()
    else if (code === 0x2f) this.#slash()
    else if (code === 0x22 || code === 0x27) this.#string(code)
    else if (code === 0x60) this.#template(this.#position + 1)
    else this.#punctuation(code)
  }

  #string(quote: number): void {
    const text = this.#text
    let i = this.#position + 1
    for (; i < text.length; i += 1) {
      const code = text.charCodeAt(i)
      if (code === quote) break
      if (code === 0x5c) i += 1
      else if (code === 0x0a) break
    }
    this.#position = Math.min(i + 1, text.length)
    this.#value('"')
  }

  #template(start: number): void {
    const text = this.#text
    for (let i = start; i < text.length; i += 1) {
      const code = text.charCodeAt(i)
      if (code === 0x5c) i += 1
      else if (code === 0x60) {
        this.#position = i + 1
        this.#value('`')
        return
      } else if (code === 0x24 && text.charCodeAt(i + 1) === 0x7b) {
        this.#stack.push(templateBrace)
        this.#position = i + 2
        this.#operator('{')
        return
      }
    }
    this.#position = text.length
    this.notes.isBalanced = false
  }

  #slash(): void {
    const text = this.#text
    const next = text.charCodeAt(this.#position + 1)
    if (next === 0x2f) {
      const end = text.indexOf('\n', this.#position)
      this.#position = end === -1 ? text.length : end
    } else if (next === 0x2a) {
      const end = text.indexOf('*/', this.#position + 2)
      this.#position = end === -1 ? text.length : end + 2
    } else {
      const end = this.#isLastValue || this.#lookaheadLeft <= 0 ? -1 : endOfRegex(text, this.#position)
      if (end === -1) {
        if (!this.#isLastValue) this.#lookaheadLeft -= lineLength(text, this.#position)
        this.#position += 1
        this.#operator('/')
      } else {
        this.#position = end
        this.#value('/')
      }
    }
  }

  #word(): void {
    const text = this.#text
    const start = this.#position
    let end = start + 1
    for (; end < text.length; end += 1) {
      const code = text.charCodeAt(end)
      if (code <= 0xff && identifierClass[code] === 0) break
    }
    this.#position = end
    const isMember = this.#last === '.' && !this.#isLastWord
    const length = end - start
    // Numbers too are words here; no word that matters is longer than `globalThis`.
    const word = text.slice(start, end)
    if (isMember) {
      this.#value(word, true)
      return
    }
    this.#declareName(word)
    if (length <= 10) this.#knownWord(word, start)
    const isOperator = regexWords.has(word)
    this.#last = word
    this.#isLastWord = true
    this.#isLastValue = !isOperator
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
    const next = this.#skipSpace(this.#position)
    if (this.#text.charCodeAt(next) !== 0x3d) return
    const after = this.#text.charCodeAt(next + 1)
    const isDeclared = /^(?:var|let|const)$/.test(this.#last)
    if (after !== 0x3d && after !== 0x3e && !isDeclared) this.notes.locationPlaces.push(next + 1)
  }

  /** Only as a value: `this.x` reaches wombat's stand-in only where x is one of the names. */
  #this(start: number): void {
    const text = this.#text
    const next = this.#skipSpace(this.#position)
    const code = text.charCodeAt(next)
    if (code === 0x2e) {
      memberPattern.lastIndex = next
      if (memberPattern.test(text)) this.notes.thisPlaces.push(start)
      return
    }
    // A key of an object, or the name of a method.
    if (code === 0x3a && this.#last !== '?') return
    if (code === 0x28 || code === 0x5b || code === 0x3d) return
    this.notes.thisPlaces.push(start)
  }

  #eval(start: number): void {
    if (this.#nextCode() !== 0x28 || this.#last === 'function') return
    const end = this.#skipSpace(this.#position) + 1
    this.notes.evalPlaces.push({ start, end, text: '' })
  }

  #import(start: number): void {
    const text = this.#text
    const next = this.#skipSpace(this.#position)
    const code = text.charCodeAt(next)
    if (code === 0x28) {
      if (this.#last !== 'async' && this.#last !== 'function')
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
    if (this.#stack.length > 0) return
    if (this.#lookaheadLeft <= 0) return
    importPattern.lastIndex = next
    const match = importPattern.exec(text)
    if (match === null) {
      this.#lookaheadLeft -= clauseCharsMax
      return
    }
    this.notes.isModule = true
    for (const name of match[1]!.match(/[\w$]+/g) ?? []) this.notes.taken.add(name)
    this.#specifier(next + match[0].length, match[2]!)
  }

  #export(): void {
    if (this.#stack.length > 0 || this.#lookaheadLeft <= 0) return
    const next = this.#skipSpace(this.#position)
    exportPattern.lastIndex = next
    const match = exportPattern.exec(this.#text)
    if (match === null) {
      this.#lookaheadLeft -= clauseCharsMax
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
    if (this.#functionDepth > 0) return
    this.#declare((name) => this.notes.taken.add(name))
  }

  #lexical(kind: 'let' | 'const', start: number): void {
    if (this.#stack.length > 0) return
    const code = this.#nextCode()
    const startsName = code === 0x7b || code === 0x5b || code > 0xff || identifierClass[code] === 1
    if (!startsName) return
    const names: string[] = []
    this.notes.declarations.push({ kind, start, names, end: 0 })
    this.#declare((name) => names.push(name))
  }

  #declare(names: (name: string) => void): void {
    const next = this.#skipSpace(this.#position)
    const code = this.#text.charCodeAt(next)
    if (code === 0x7b || code === 0x5b) {
      // A pattern: whatever name is in it may be declared by it.
      for (const name of this.#text
        .slice(next, next + 500)
        .split('=', 1)[0]!
        .match(/[\w$]+/g) ?? [])
        names(name)
    }
    this.#declaring = { names, depth: this.#stack.length, isNameNext: code !== 0x7b && code !== 0x5b }
  }

  #declareName(word: string): void {
    const declaring = this.#declaring
    if (declaring === undefined || !declaring.isNameNext || this.#stack.length !== declaring.depth) return
    declaring.isNameNext = false
    declaring.names(word)
  }

  #class(start: number): void {
    this.#awaitsClassBody = true
    if (this.#stack.length > 0 || this.#openClass !== undefined || !this.#isStatementStart()) return
    const name = this.#wordAt(this.#skipSpace(this.#position))
    if (name === '' || name === 'extends') return
    this.#openClass = { kind: 'class', start, names: [name], end: 0 }
    this.notes.declarations.push(this.#openClass)
  }

  #function(): void {
    this.#awaitsParameters = true
    if (this.#stack.length > 0) return
    if (this.#last !== 'async' && !this.#isStatementStart()) return
    let next = this.#skipSpace(this.#position)
    if (this.#text.charCodeAt(next) === 0x2a) next = this.#skipSpace(next + 1)
    const name = this.#wordAt(next)
    if (name !== '') this.notes.functions.push(name)
  }

  #isStatementStart(): boolean {
    return this.#last === '' || this.#last === ';' || this.#last === '}' || this.#isLastValue
  }

  #punctuation(code: number): void {
    const start = this.#position
    this.#position += 1
    switch (code) {
      case 0x28:
        this.#stack.push(this.#parenKind())
        this.#operator('(')
        return
      case 0x29:
        this.#lastPoppedParen = this.#pop(paren)
        this.#value(')')
        // After the condition of an `if` a statement starts.
        if (this.#lastPoppedParen === conditionParen) this.#isLastValue = false
        return
      case 0x5b:
        this.#stack.push(bracket)
        this.#operator('[')
        return
      case 0x5d:
        this.#pop(bracket)
        this.#value(']')
        return
      case 0x7b:
        this.#openBrace()
        return
      case 0x7d:
        this.#closeBrace()
        return
      case 0x2c:
        if (this.#declaring?.depth === this.#stack.length) this.#declaring.isNameNext = true
        this.#operator(',')
        return
      case 0x3b:
        if (this.#declaring && this.#declaring.depth >= this.#stack.length) this.#declaring = undefined
        this.#operator(';')
        return
      case 0x2b:
      case 0x2d:
        if (this.#isCommentEnd(start)) {
          this.#position = start + lineLength(this.#text, start)
          return
        }
        // After a value, `++` leaves it a value.
        if (this.#text.charCodeAt(start + 1) === code) {
          this.#position += 1
          if (this.#isLastValue) return
        }
        this.#operator(this.#text[start]!)
        return
      case 0x3d:
        if (this.#text.charCodeAt(start + 1) === 0x3e) {
          this.#position += 1
          this.#operator('=>')
          return
        }
        this.#operator('=')
        return
      case 0x40:
      case 0x23:
      case 0x5c:
        // Decorators, private names, escapes in names: part of the word that follows.
        this.#operator(this.#text[start]!)
        return
      default:
        if (code === 0x3c && this.#text.startsWith('<!--', start)) {
          // As old as the web: a comment to the end of the line.
          const end = this.#text.indexOf('\n', start)
          this.#position = end === -1 ? this.#text.length : end
          return
        }
        this.#operator(this.#text[start]!)
    }
  }

  /** `-->` at the start of a line is a comment to its end, as old as the web. */
  #isCommentEnd(start: number): boolean {
    if (!this.#text.startsWith('-->', start)) return false
    let before = start - 1
    while (this.#text.charCodeAt(before) === 0x20 || this.#text.charCodeAt(before) === 0x09) before -= 1
    return before < 0 || this.#text.charCodeAt(before) === 0x0a || this.#text.charCodeAt(before) === 0x0d
  }

  #parenKind(): number {
    if (this.#awaitsParameters) {
      this.#awaitsParameters = false
      return parameterParen
    }
    return this.#isLastWord && conditionWords.has(this.#last) ? conditionParen : paren
  }

  #openBrace(): void {
    let kind = brace
    if (this.#awaitsClassBody) {
      this.#awaitsClassBody = false
      kind = classBrace
    } else if (this.#last === '=>') kind = functionBrace
    else if (this.#last === ')' && this.#isFunctionParen()) kind = functionBrace
    this.#stack.push(kind)
    if (kind === functionBrace) this.#functionDepth += 1
    this.#operator('{')
  }

  #isFunctionParen(): boolean {
    return this.#lastPoppedParen === parameterParen || this.#stack.at(-1) === classBrace
  }

  #closeBrace(): void {
    const kind = this.#pop(brace)
    if (kind === templateBrace) {
      this.#template(this.#position)
      return
    }
    if (kind === functionBrace) this.#functionDepth -= 1
    if (kind === classBrace && this.#stack.length === 0 && this.#openClass !== undefined) {
      this.#openClass.end = this.#position
      this.#openClass = undefined
    }
    if (this.#declaring && this.#declaring.depth > this.#stack.length) this.#declaring = undefined
    // A regular expression rather than a division follows: blocks are many, objects that are divided none.
    this.#operator('}')
  }

  #pop(expected: number): number {
    const kind = this.#stack.pop()
    if (kind === undefined) {
      this.notes.isBalanced = false
      return 0
    }
    if (shapeOf(kind) !== shapeOf(expected)) this.notes.isBalanced = false
    return kind
  }

  #operator(token: string): void {
    this.#last = token
    this.#isLastWord = false
    this.#isLastValue = false
  }

  #value(token: string, isWord = false): void {
    this.#last = token
    this.#isLastWord = isWord
    this.#isLastValue = true
  }

  #nextCode(): number {
    return this.#text.charCodeAt(this.#skipSpace(this.#position))
  }

  #skipSpace(start: number): number {
    let position = start
    while (this.#text.charCodeAt(position) <= 0x20) position += 1
    return position
  }

  #wordAt(start: number): string {
    namePattern.lastIndex = start
    return namePattern.exec(this.#text)?.[0] ?? ''
  }
}

function shapeOf(kind: number): number {
  if (kind === bracket) return bracket
  return kind === paren || kind === conditionParen || kind === parameterParen ? paren : brace
}
