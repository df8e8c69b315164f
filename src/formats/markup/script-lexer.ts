// Script lexer: walks over JavaScript once and knows code from strings, comments, templates and regular expressions. Tells a
// listener of words, and of what ends declarations.
//
// Not a parser: brackets are counted and the last token is remembered, which is enough to tell a division from a regular
// expression in all but contrived code. Linear in the text; never throws.

import { endOfRegex, lineLength, namePattern } from './script-tokens.ts'

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

export function isIdentifierCode(code: number): boolean {
  return code > 0xff || identifierClass[code] === 1
}

export interface ScriptListener {
  /** A word that is no member of anything: a name, a keyword, a number. `lexer.position` is behind it. */
  word(word: string, start: number): void
  comma(): void
  semicolon(): void
  /** A brace is closed; `depth` is what is left open. */
  closed(isClass: boolean): void
  /** A word that is a member of something: `open` in `request.open`. */
  member?(word: string): void
}

export class ScriptLexer {
  readonly #text: string
  readonly #listener: ScriptListener
  readonly #stack: number[] = []
  #functionDepth = 0
  #isLastWord = false
  #isLastValue = false
  #lastPoppedParen = 0
  #awaitsParameters = false
  #awaitsClassBody = false
  /** Characters that may still be looked at in vain: a text of nothing but `/[` must not take quadratic time. */
  lookaheadLeft: number
  position = 0
  /** The last token that is neither space nor comment: a word, or one character. */
  last = ''
  isBalanced = true

  constructor(text: string, listener: ScriptListener) {
    this.#text = text
    this.#listener = listener
    this.lookaheadLeft = 2 * text.length + 100_000
  }

  /** Brackets that are open. */
  get depth(): number {
    return this.#stack.length
  }

  get functionDepth(): number {
    return this.#functionDepth
  }

  get isStatementStart(): boolean {
    return this.last === '' || this.last === ';' || this.last === '}' || this.#isLastValue
  }

  run(): void {
    const text = this.#text
    while (this.position < text.length) this.#step(text.charCodeAt(this.position))
    this.isBalanced &&= this.#stack.length === 0
  }

  /** The next parenthesis holds parameters, and the brace behind it a body. */
  awaitParameters(): void {
    this.#awaitsParameters = true
  }

  /** The next brace holds a class. */
  awaitClassBody(): void {
    this.#awaitsClassBody = true
  }

  nextCode(): number {
    return this.#text.charCodeAt(this.skipSpace(this.position))
  }

  skipSpace(start: number): number {
    let position = start
    while (this.#text.charCodeAt(position) <= 0x20) position += 1
    return position
  }

  wordAt(start: number): string {
    namePattern.lastIndex = start
    return namePattern.exec(this.#text)?.[0] ?? ''
  }

  #step(code: number): void {
    if (code <= 0x20) this.position += 1
    else if (isIdentifierCode(code)) this.#word()
    else if (code === 0x2f) this.#slash()
    else if (code === 0x22 || code === 0x27) this.#string(code)
    else if (code === 0x60) this.#template(this.position + 1)
    else this.#punctuation(code)
  }

  #string(quote: number): void {
    const text = this.#text
    let i = this.position + 1
    for (; i < text.length; i += 1) {
      const code = text.charCodeAt(i)
      if (code === quote) break
      if (code === 0x5c) i += 1
      else if (code === 0x0a) break
    }
    this.position = Math.min(i + 1, text.length)
    this.#value('"')
  }

  #template(start: number): void {
    const text = this.#text
    for (let i = start; i < text.length; i += 1) {
      const code = text.charCodeAt(i)
      if (code === 0x5c) i += 1
      else if (code === 0x60) {
        this.position = i + 1
        this.#value('`')
        return
      } else if (code === 0x24 && text.charCodeAt(i + 1) === 0x7b) {
        this.#stack.push(templateBrace)
        this.position = i + 2
        this.#operator('{')
        return
      }
    }
    this.position = text.length
    this.isBalanced = false
  }

  #slash(): void {
    const text = this.#text
    const next = text.charCodeAt(this.position + 1)
    if (next === 0x2f) {
      const end = text.indexOf('\n', this.position)
      this.position = end === -1 ? text.length : end
    } else if (next === 0x2a) {
      const end = text.indexOf('*/', this.position + 2)
      this.position = end === -1 ? text.length : end + 2
    } else {
      const end = this.#isLastValue || this.lookaheadLeft <= 0 ? -1 : endOfRegex(text, this.position)
      if (end === -1) {
        if (!this.#isLastValue) this.lookaheadLeft -= lineLength(text, this.position)
        this.position += 1
        this.#operator('/')
      } else {
        this.position = end
        this.#value('/')
      }
    }
  }

  #word(): void {
    const text = this.#text
    const start = this.position
    let end = start + 1
    while (end < text.length && isIdentifierCode(text.charCodeAt(end))) end += 1
    this.position = end
    const isMember = this.last === '.' && !this.#isLastWord
    const word = text.slice(start, end)
    if (isMember) {
      this.#listener.member?.(word)
      this.#value(word, true)
      return
    }
    this.#listener.word(word, start)
    this.last = word
    this.#isLastWord = true
    this.#isLastValue = !regexWords.has(word)
  }

  #punctuation(code: number): void {
    const start = this.position
    this.position += 1
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
        this.#listener.comma()
        this.#operator(',')
        return
      case 0x3b:
        this.#listener.semicolon()
        this.#operator(';')
        return
      case 0x2b:
      case 0x2d:
        if (this.#isCommentEnd(start)) {
          this.position = start + lineLength(this.#text, start)
          return
        }
        // After a value, `++` leaves it a value.
        if (this.#text.charCodeAt(start + 1) === code) {
          this.position += 1
          if (this.#isLastValue) return
        }
        this.#operator(this.#text[start]!)
        return
      case 0x3d:
        if (this.#text.charCodeAt(start + 1) === 0x3e) {
          this.position += 1
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
          this.position = end === -1 ? this.#text.length : end
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
    return this.#isLastWord && conditionWords.has(this.last) ? conditionParen : paren
  }

  #openBrace(): void {
    let kind = brace
    if (this.#awaitsClassBody) {
      this.#awaitsClassBody = false
      kind = classBrace
    } else if (this.last === '=>') kind = functionBrace
    else if (this.last === ')' && this.#isFunctionParen()) kind = functionBrace
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
      this.#template(this.position)
      return
    }
    if (kind === functionBrace) this.#functionDepth -= 1
    this.#listener.closed(kind === classBrace)
    // A regular expression rather than a division follows: blocks are many, objects that are divided none.
    this.#operator('}')
  }

  #pop(expected: number): number {
    const kind = this.#stack.pop()
    if (kind === undefined) {
      this.isBalanced = false
      return 0
    }
    if (shapeOf(kind) !== shapeOf(expected)) this.isBalanced = false
    return kind
  }

  #operator(token: string): void {
    this.last = token
    this.#isLastWord = false
    this.#isLastValue = false
  }

  #value(token: string, isWord = false): void {
    this.last = token
    this.#isLastWord = isWord
    this.#isLastValue = true
  }
}

function shapeOf(kind: number): number {
  if (kind === bracket) return bracket
  return kind === paren || kind === conditionParen || kind === parameterParen ? paren : brace
}
