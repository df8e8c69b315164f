// Page atoms: a page as a list of what can change in it: elements with their attributes, texts between tags, scripts, each with its
// path.
//
// Linear in the page and bounded; `isCut` says when there was more. Comments and white space are not in it: nobody is shown them.

import type { MarkupReader } from '../../../formats/markup/markup-reading.ts'
import { type PageAtom, PagePath, type Side, Signatures } from './page-path.ts'

const atomsMax = 60_000
const depthMax = 100

const voids = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Not closed by most people, but by the next of their kind. */
const closedByNext = new Set('li p td th tr dt dd option tbody thead'.split(' '))
const codeElements = new Set(['script', 'style'])
const noAttributes: ReadonlyMap<string, string> = new Map()

/** The paths that both versions of a page share. */
export class PagePaths {
  readonly root = new PagePath(undefined, '')
  readonly all: PagePath[] = [this.root]
  readonly #signatures = new Signatures()
  readonly #elements = new Map<ReadonlyMap<string, string>, ElementFacts>()

  /** The same tag has the very same attributes whenever it comes (formats/markup/markup-reading.ts), and the same value. */
  element(tag: string, attributes: ReadonlyMap<string, string>): ElementFacts {
    const known = attributes.size === 0 ? undefined : this.#elements.get(attributes)
    if (known !== undefined) return known
    let value = ''
    for (const [name, written] of attributes) value += `${name}\u0000${written}\u0000`
    const facts = { signature: this.#signatures.of(tag, attributes), value }
    if (attributes.size > 0) this.#elements.set(attributes, facts)
    return facts
  }
}

interface ElementFacts {
  readonly signature: string
  readonly value: string
}

export class AtomReader implements MarkupReader {
  readonly atoms: PageAtom[] = []
  isCut = false
  readonly #paths: PagePaths
  readonly #side: Side
  readonly #open: { readonly tag: string; readonly path: PagePath }[] = []
  #path: PagePath
  #text = ''

  constructor(paths: PagePaths, side: Side) {
    this.#paths = paths
    this.#side = side
    this.#path = paths.root
  }

  isForeign(): boolean {
    return false
  }

  open(tag: string, attributes: ReadonlyMap<string, string>): void {
    this.#endText()
    if (closedByNext.has(tag) && this.#open.at(-1)?.tag === tag) this.#pop(this.#open.length - 1)
    const { signature, value } = this.#paths.element(tag, attributes)
    const path = this.#path.child(signature, this.#paths.all)
    this.#add('element', path, value, attributes.size === 0 ? noAttributes : attributes)
    if (voids.has(tag)) return
    // Deeper ones stand in the same place: a page must not make paths without end.
    if (this.#open.length >= depthMax) return
    this.#open.push({ tag, path })
    this.#path = path
  }

  text(text: string): void {
    this.#text += text
  }

  close(tag: string): void {
    this.#endText()
    for (let at = this.#open.length - 1; at >= 0; at--) {
      if (this.#open[at]!.tag === tag) {
        this.#pop(at)
        return
      }
    }
  }

  finish(): void {
    this.#endText()
  }

  #pop(length: number): void {
    this.#open.length = length
    this.#path = this.#open.at(-1)?.path ?? this.#paths.root
  }

  #endText(): void {
    if (this.#text === '') return
    const isCode = codeElements.has(this.#open.at(-1)?.tag ?? '')
    const value = isCode ? this.#text.trim() : collapsed(this.#text)
    this.#text = ''
    if (value !== '') this.#add(isCode ? 'script' : 'text', this.#path, value, undefined)
  }

  #add(
    kind: PageAtom['kind'],
    path: PagePath,
    value: string,
    attributes: ReadonlyMap<string, string> | undefined,
  ): void {
    if (this.atoms.length >= atomsMax) {
      this.isCut = true
      return
    }
    const atom: PageAtom = { kind, path, value, attributes, isChanged: false, context: 0 }
    this.atoms.push(atom)
    path.atoms[kind === 'element' ? 'element' : 'text'][this.#side].push(atom)
  }
}

/** A space that does not break stays: it stands within numbers. */
function collapsed(text: string): string {
  // Most of what stands between tags is white space alone.
  const trimmed = text.trim()
  return /[\t\n\f\r]| {2}/.test(trimmed) ? trimmed.replace(/[\t\n\f\r ]+/g, ' ') : trimmed
}

/** Text that is not markup: its lines. */
export function readLines(text: string, reader: AtomReader): void {
  for (const line of text.split(/\r\n|\r|\n/)) {
    reader.text(line)
    reader.finish()
  }
}
