// Page path: where in a page something stands, so that the next version's counterpart is found: the names of the elements around it
// with their classes, from the nearest element that has an id.
//
// No positions among siblings: what is inserted elsewhere moves nothing. What looks random in ids and classes (digits, digests) is
// left out. Many elements can have one path; they are told apart by their order.

import { looksRandom } from './token-shape.ts'
import { hashOf, joinHash } from './value-hash.ts'

export interface PageAtom {
  readonly kind: 'text' | 'element' | 'script'
  readonly path: PagePath
  /** What it is compared by. */
  readonly value: string
  readonly attributes: ReadonlyMap<string, string> | undefined
  /** Set by the comparison: it has no equal in the other version. */
  isChanged: boolean
  /** Its place among what stayed the same: see atom-difference.ts. */
  context: number
}

export type Side = 0 | 1

/** Machines and editors of many places name their boxes so. Only a box that changes at every visit is taken for what it says. */
const rotatingNames = new Set(
  (
    'ad ads adv advert adverts advertisement advertising adslot adunit adbox adsense dfp gpt sponsor sponsors sponsored promo promoted ' +
    'related recommended recommendation recommendations recommends similar suggested suggestions trending popular mostread ' +
    'taboola outbrain anzeige anzeigen werbung publicite publicidad pubblicita reklama annons'
  ).split(' '),
)

/** A number with such a name is edited by people, whatever else it looks like. */
const amountNames = new Set(
  (
    'price prices preis preise prix precio prezzo preco cena cijena cost costs amount betrag total subtotal sum saldo balance stock inventory lager bestand ' +
    'qty quantity menge score scores salary rating discount rabatt bid version temperature temp percent percentage fee tarif'
  ).split(' '),
)

const nodeCharsMax = 400

export class PagePath {
  readonly text: string
  readonly hash: number
  /** A class or an id stands near enough to tell it from other places of the site. */
  readonly isSpecific: boolean
  readonly isAmount: boolean
  readonly isHeading: boolean
  /** The nearest element around it, or itself, that has a name; itself where none has. */
  readonly box: PagePath | undefined
  /** The outermost box around it that is named as one that rotates. */
  readonly rotating: PagePath | undefined
  readonly atoms: { readonly text: [PageAtom[], PageAtom[]]; readonly element: [PageAtom[], PageAtom[]] } = {
    text: [[], []],
    element: [[], []],
  }
  readonly #children = new Map<string, PagePath>()

  constructor(parent: PagePath | undefined, signature: string) {
    const isFirst = parent === undefined || parent.text === '' || signature.includes('#=')
    const above = isFirst ? '' : `${parent.text} > `
    const text = above + signature.replace('#=', '#')
    this.text = text.length > nodeCharsMax ? text.slice(-nodeCharsMax) : text
    this.hash = parent === undefined ? hashOf(signature) : joinHash(parent.hash, hashOf(signature))
    if (signature.includes('#=')) this.hash = hashOf(signature)
    const isNamed = /[#.[]/.test(signature)
    this.isSpecific = isNamed || (parent !== undefined && /[#.[]/.test(lastOf(parent.text)))
    this.box = /[.#]/.test(signature) ? this : (namedBox(parent) ?? this)
    this.isHeading = /^h[1-6]\b/.test(signature)
    const words = wordsOf(signature)
    this.isAmount = (parent?.isAmount ?? false) || words.some((word) => amountNames.has(word))
    const isRotating = words.some((word) => rotatingNames.has(word))
    this.rotating = parent?.rotating ?? (isRotating ? this : undefined)
  }

  /** `paths` collects those that were made. */
  child(signature: string, paths: PagePath[]): PagePath {
    const known = this.#children.get(signature)
    if (known !== undefined) return known
    const path = new PagePath(this, signature)
    this.#children.set(signature, path)
    paths.push(path)
    return path
  }
}

const identifying = ['name', 'itemprop', 'property', 'rel', 'type'] as const

/** Cached by what it is made of: few combinations stand in a page many times. */
export class Signatures {
  readonly #known = new Map<string, string>()

  of(tag: string, attributes: ReadonlyMap<string, string>): string {
    if (attributes.size === 0) return tag
    const id = attributes.get('id') ?? ''
    const className = attributes.get('class') ?? ''
    let key = `${tag}\n${id}\n${className}`
    for (const name of identifying) {
      const value = attributes.get(name)
      if (value !== undefined) key += `\n${name}=${value}`
    }
    let signature = this.#known.get(key)
    if (signature === undefined) {
      signature = signatureOf(tag, id, className, attributes)
      if (this.#known.size < 5_000) this.#known.set(key, signature)
    }
    return signature
  }
}

function signatureOf(
  tag: string,
  id: string,
  className: string,
  attributes: ReadonlyMap<string, string>,
): string {
  let signature = tag
  for (const name of className.split(/\s+/, 4)) {
    const stable = stableName(name)
    if (/[a-z]{2}/i.test(stable)) signature += `.${stable}`
  }
  for (const name of identifying) {
    const value = attributes.get(name)
    if (value !== undefined && value !== '') signature += `[${name}=${stableName(value.slice(0, 60))}]`
  }
  // An id is unique in its page: the path starts anew.
  if (id !== '' && id.length <= 60 && stableName(id) === id) signature += `#=${id}`
  return signature
}

/** Without digits and parts that look random, such as the digests that tools put behind names of classes: `title__x3K9a`,
 * `css-1q2w3e`. */
function stableName(name: string): string {
  if (!/[\dA-Z]|^(?:css|sc|jss|svelte)-/.test(name)) return name
  return name
    .replace(/__[A-Za-z0-9+/]*[A-Z0-9][A-Za-z0-9+/]*$/, '__*')
    .replace(/^(css|sc|jss|svelte)-[A-Za-z0-9]+/, '$1-*')
    .split(/([-_:.]+)/)
    .map((part) => (/\d/.test(part) || looksRandom(part) ? '*' : part))
    .join('')
}

function namedBox(path: PagePath | undefined): PagePath | undefined {
  return path?.box !== undefined && /[.#][^>]*$/.test(path.box.text) ? path.box : undefined
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf(' > ') + 1)
}

function wordsOf(signature: string): string[] {
  return (signature.match(/[a-z]+|[A-Z][a-z]*/g) ?? []).map((word) => word.toLowerCase())
}
