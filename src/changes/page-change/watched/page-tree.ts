// Page tree: a page as a tree that CSS selectors can be asked of, made from the same tokens as everything else here.
//
// Bounded in depth and nodes, so that no page makes it slow: deeper elements become children of the deepest, what comes after the
// last node is left out. Not the tree that a browser would make of bad markup, but the same of the same.

import { Document, Element, type ParentNode, Text } from 'domhandler'
import { type MarkupReader, readMarkup } from '../../../formats/markup/markup-reading.ts'

const depthMax = 80
const nodesMax = 50_000
const charsMax = 1_000_000

const voids = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Not closed by most people, but by the next of their kind. */
const closedByNext = new Set('li p td th tr dt dd option'.split(' '))

export function pageTree(html: string): Document {
  const builder = new TreeBuilder()
  readMarkup(html.slice(0, charsMax), builder)
  return builder.document
}

class TreeBuilder implements MarkupReader {
  readonly document = new Document([])
  readonly #open: Element[] = []
  #nodes = 0

  isForeign(): boolean {
    const name = this.#open.at(-1)?.name
    return name === 'svg' || name === 'math'
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (closedByNext.has(name) && this.#open.at(-1)?.name === name) this.#open.pop()
    const element = new Element(name, Object.fromEntries(attributes))
    if (!this.#append(element) || voids.has(name) || this.#open.length >= depthMax) return
    this.#open.push(element)
  }

  text(text: string): void {
    const last = (this.#open.at(-1) ?? this.document).lastChild
    if (last instanceof Text) last.data += text
    else this.#append(new Text(text))
  }

  close(name: string): void {
    const at = this.#open.findLastIndex((element) => element.name === name)
    if (at !== -1) this.#open.length = at
  }

  #append(node: Element | Text): boolean {
    if (this.#nodes === nodesMax) return false
    this.#nodes++
    const parent: ParentNode = this.#open.at(-1) ?? this.document
    const last = parent.lastChild
    node.parent = parent
    if (last !== null) {
      node.prev = last
      last.next = node
    }
    parent.children.push(node)
    return true
  }
}
