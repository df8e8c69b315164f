// Main text: the element of a page that holds what the page is about: the one in which most running text stands that is not links.
//
// A page that says where it is (`<main>`, one `<article>`) is believed when there is text in it. Else paragraphs vote for their parent
// and half as much for the next one up, less by the share of links in them. Without any paragraphs it is the whole page.

import { type Document, Element, isTag, isText, type ParentNode } from 'domhandler'

const apart = new Set(
  'nav aside footer form script style noscript template svg iframe button select'.split(' '),
)
const apartNames =
  /(?:^|[-_ ])(?:nav|menu|sidebar|footer|comments?|related|promo|ads?|advert\w*|sponsor\w*|share|social|cookies?|breadcrumbs?)(?:$|[-_ ])/i
const paragraphs = new Set('p pre blockquote li td dd section div'.split(' '))

/** Shorter ones are labels. */
const paragraphCharsMin = 40
const statedCharsMin = 100

/** Whether it is set apart from the main text wherever that is. */
export function isApart({ name, attribs }: Element): boolean {
  return apart.has(name) || apartNames.test(`${attribs.class ?? ''} ${attribs.id ?? ''}`)
}

export function mainElement(document: Document): ParentNode {
  const look = new Look()
  look.at(document)
  const stated = look.stated.length === 1 ? look.stated[0] : look.mains[0]
  if (stated !== undefined && charsOf(stated) >= statedCharsMin) return stated
  let best: ParentNode = document
  let bestScore = 0
  for (const [element, score] of look.scores) {
    if (score > bestScore) [best, bestScore] = [element, score]
  }
  return best
}

class Look {
  readonly scores = new Map<Element, number>()
  readonly mains: Element[] = []
  /** Articles. */
  readonly stated: Element[] = []

  at(parent: ParentNode): void {
    for (const child of parent.children) {
      if (!isTag(child) || isApart(child)) continue
      if (child.name === 'main' || child.attribs.role === 'main') this.mains.push(child)
      if (child.name === 'article') this.stated.push(child)
      if (paragraphs.has(child.name)) this.#vote(child)
      this.at(child)
    }
  }

  #vote(element: Element): void {
    let chars = 0
    for (const child of element.children) {
      if (isText(child)) chars += child.data.trim().length
      else if (isTag(child) && child.name !== 'a' && !paragraphs.has(child.name)) chars += charsOf(child)
    }
    if (chars < paragraphCharsMin) return
    const { parent } = element
    if (!(parent instanceof Element)) return
    this.#add(parent, chars)
    if (parent.parent instanceof Element) this.#add(parent.parent, chars / 2)
  }

  #add(element: Element, score: number): void {
    this.scores.set(element, (this.scores.get(element) ?? 0) + score)
  }
}

function charsOf(parent: ParentNode): number {
  let chars = 0
  for (const child of parent.children) {
    if (isText(child)) chars += child.data.trim().length
    else if (isTag(child) && !apart.has(child.name)) chars += charsOf(child)
  }
  return chars
}
