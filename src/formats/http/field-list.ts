// Named fields as WARC, HTTP and `application/warc-fields` write them: `Name: value` lines.
//
// Invariants: order and duplicates are kept as they came; names are compared without case; a list never changes.
// Reading is lenient (folded lines, bare LF, spaces about the colon); writing refuses what would not read back.

export type Field = readonly [name: string, value: string]

export class FieldList implements Iterable<Field> {
  readonly #fields: readonly Field[]

  constructor(fields: readonly Field[] = []) {
    this.#fields = fields
  }

  get size(): number {
    return this.#fields.length
  }

  /** The first value of that name. */
  get(name: string): string | undefined {
    const wanted = name.toLowerCase()
    for (const [candidate, value] of this.#fields) {
      if (candidate.length === wanted.length && candidate.toLowerCase() === wanted) return value
    }
    return undefined
  }

  getAll(name: string): string[] {
    const wanted = name.toLowerCase()
    return this.#fields.filter(([candidate]) => candidate.toLowerCase() === wanted).map(([, value]) => value)
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** This list and one more field at its end. */
  with(name: string, value: string): FieldList {
    return new FieldList([...this.#fields, [name, value]])
  }

  without(name: string): FieldList {
    const unwanted = name.toLowerCase()
    return new FieldList(this.#fields.filter(([candidate]) => candidate.toLowerCase() !== unwanted))
  }

  [Symbol.iterator](): Iterator<Field> {
    return this.#fields[Symbol.iterator]()
  }

  toJSON(): readonly Field[] {
    return this.#fields
  }
}

/** Index just past the empty line that ends the fields, or -1. Lines end in CR LF or, leniently, LF. */
export function findEmptyLine(bytes: Buffer, start = 0): number {
  let lineFeed = bytes.indexOf(0x0a, start)
  while (lineFeed >= 0) {
    if (bytes[lineFeed + 1] === 0x0a) return lineFeed + 2
    if (bytes[lineFeed + 1] === 0x0d) {
      let next = lineFeed + 2
      while (bytes[next] === 0x0d) next++
      if (bytes[next] === 0x0a) return next + 1
    }
    lineFeed = bytes.indexOf(0x0a, lineFeed + 1)
  }
  return -1
}

interface ParsedFields {
  fields: FieldList
  /** The first line that is no field, if any. Such lines are left out of `fields`. */
  badLine: string | undefined
}

/** Reads field lines from `start` up to the first empty line or the end of the text. */
export function parseFieldLines(text: string, start = 0): ParsedFields {
  const fields: Field[] = []
  let badLine: string | undefined
  let position = start
  while (position < text.length) {
    let end = text.indexOf('\n', position)
    if (end < 0) end = text.length
    let lineEnd = end
    // Files that went through a text mode twice end lines with more than one CR.
    while (lineEnd > position && text.charCodeAt(lineEnd - 1) === 0x0d) lineEnd--
    if (lineEnd === position) break
    const first = text.charCodeAt(position)
    if (first === 0x20 || first === 0x09) {
      const last = fields.pop()
      const more = text.slice(position, lineEnd).trim()
      if (last === undefined) badLine ??= more
      else fields.push([last[0], more === '' ? last[1] : `${last[1]} ${more}`.trim()])
    } else {
      const colon = text.indexOf(':', position)
      const name = colon < 0 || colon >= lineEnd ? '' : text.slice(position, colon).trimEnd()
      if (name === '' || /[\x00-\x20\x7f]/.test(name)) badLine ??= text.slice(position, lineEnd)
      else fields.push([name, text.slice(colon + 1, lineEnd).trim()])
    }
    position = end + 1
  }
  return { fields: new FieldList(fields), badLine }
}

const namePattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const controlPattern = /[\x00-\x08\x0a-\x1f\x7f]/

/** Why this field cannot be written so that it reads back the same, or undefined when it can. */
export function fieldFault(name: string, value: string): string | undefined {
  if (!namePattern.test(name)) return `field name ${JSON.stringify(name)} is not a token`
  if (controlPattern.test(value)) return `field ${name} holds a control character`
  if (!value.isWellFormed()) return `field ${name} holds half of a surrogate pair`
  return undefined
}
