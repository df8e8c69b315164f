// Block changes: of two atoms that belong together, what is different, cut into the smallest parts that can be judged and learned
// each by itself: slots of a text or an attribute where all around them is the same, else the whole.

import type { AtomPair } from './atom-difference.ts'
import { isCacheName, isSessionName, maskAttribute, maskScript } from './masked-attribute.ts'
import { isBare, isCurrency, type Masked, maskText, type Shape, type Slot } from './masked-text.ts'
import type { PageAtom, PagePath } from './page-path.ts'
import { ageOf } from './time-words.ts'
import { isToken } from './token-shape.ts'
import { hashOf, joinHash } from './value-hash.ts'

/** Why a change cannot be anything else than noise, whatever was learned. */
type SureReason = 'nonce' | 'session token' | 'build' | 'time passed'

/** Plain data: it is made in another thread than the one that judges it. */
export interface BlockChange {
  readonly path: string
  /** `free`: words, addresses, elements that came or went. */
  readonly shape: Shape | 'free'
  readonly sure: SureReason | undefined
  /** The slot in this page; 0 where the change is free. */
  readonly slot: number
  /** The text or element in this page. */
  readonly block: number
  /** The same two on the site, in 48 bits. */
  readonly slotKey: number
  readonly blockKey: number
  /** The box around it, by its path, or 0. */
  readonly box: number
  /** The box around it that is named as one that rotates, or 0. */
  readonly rotatingBox: number
  readonly isSpecific: boolean
  /** It came or went. */
  readonly isToggled: boolean
  /** A number that people read, and that became less. */
  readonly isDecrease: boolean
  readonly sameShare: number
  /** Cut to be shown. */
  readonly before: string
  readonly after: string
  readonly beforeHash: number
  readonly afterHash: number
}

const shownCharsMax = 120

/** Names of what holds a token: of meta and input elements, and of variables in scripts. */
const tokenNames =
  /csrf|xsrf|nonce|token|viewstate|eventvalidation|requestverification|session|captcha|request_?id|trace_?id/i
const assetRelations = /\b(?:stylesheet|preload|modulepreload|prefetch|icon)\b/i
const identifiers = /^(?:id|for|name|class|aria-.*|data-.*|headers|list|form|xmlns.*|slot|part|key|href|src)$/

export interface PairSurroundings {
  readonly elapsedMs: number
  /** The texts before and behind an atom. */
  neighboursOf(atom: PageAtom): readonly [string, string]
}

export function blockChanges(pair: AtomPair, around: PairSurroundings): BlockChange[] {
  const { before, after } = pair
  const atom = after ?? before!
  if (before === undefined || after === undefined) {
    return [freeChange(pair, '', before?.value ?? '', after?.value ?? '')]
  }
  if (atom.kind === 'element') return attributeChanges(pair, before, after)
  const mask = atom.kind === 'script' ? maskScript : maskText
  const masks = [mask(before.value), mask(after.value)] as const
  const slots = differingSlots(...masks)
  if (slots === undefined) return [freeChange(pair, '', before.value, after.value, masks)]
  return slots.map(([at, one, other]) => {
    const isAmount = atom.kind === 'text' && isAmountByPlace(atom, around)
    const shape = one.shape === 'count' && isAmount ? 'amount' : one.shape
    const sure = atom.kind === 'script' ? sureInScript(one) : sureInText(atom, masks[1]!, one, other, around)
    // The only one of its shape is known again when the words around it are edited.
    const isOnly = masks[0]!.slots.filter((slot) => slot.shape === one.shape).length === 1
    const place = isOnly ? 0 : joinHash(hashOf(masks[0]!.skeleton), at)
    return slotChange(pair, '', { shape, sure, place, one, other, isRead: atom.kind === 'text' })
  })
}

function attributeChanges(pair: AtomPair, before: PageAtom, after: PageAtom): BlockChange[] {
  const names = new Set([...before.attributes!.keys(), ...after.attributes!.keys()])
  return [...names].flatMap((name) => {
    const left = before.attributes!.get(name)
    const right = after.attributes!.get(name)
    if (left === right) return []
    if (left === undefined || right === undefined) return [freeChange(pair, name, left ?? '', right ?? '')]
    return attributeChange(pair, name, left, right)
  })
}

function attributeChange(pair: AtomPair, name: string, left: string, right: string): BlockChange[] {
  const { path } = pair.after!
  const isCode = isCodeElement(path, pair.after!)
  if (name === 'nonce' || (name === 'integrity' && isCode)) {
    const slot = { shape: 'token' as const, name, text: left }
    const sure = name === 'nonce' ? 'nonce' : 'build'
    return [
      slotChange(pair, name, {
        shape: 'token',
        sure,
        place: 0,
        one: slot,
        other: { ...slot, text: right },
        isRead: false,
      }),
    ]
  }
  const masks = [maskAttribute(name, left, isCode), maskAttribute(name, right, isCode)] as const
  const slots = differingSlots(...masks)
  if (slots === undefined) return [freeChange(pair, name, left, right, masks)]
  return slots.map(([at, one, other]) => {
    const sure = sureInAttribute(pair.after!, name, one, other, isCode)
    // Of identifiers and tokens it does not matter where among their like they stand: all of a page's links can have one.
    const isAnywhere = one.shape === 'token' || (identifiers.test(name) && one.shape !== 'amount')
    const shape = one.shape === 'count' && (path.isAmount || isAmountName(name)) ? 'amount' : one.shape
    const place = isAnywhere ? hashOf(`${one.shape} ${one.name}`) : at
    return slotChange(pair, name, { shape, sure, place, one, other, isRead: !isAnywhere, isAnywhere })
  })
}

/** Where both have the same skeleton: the slots that differ, with their place. */
function differingSlots(
  left: Masked | undefined,
  right: Masked | undefined,
): [at: number, left: Slot, right: Slot][] | undefined {
  if (left === undefined || right === undefined || left.skeleton !== right.skeleton) return undefined
  const found: [number, Slot, Slot][] = []
  for (const [at, slot] of left.slots.entries()) {
    const other = right.slots[at]!
    if (slot.text !== other.text) found.push([at, slot, other])
  }
  // The masks are the same and the values are not: of something that masks do not show.
  return found.length === 0 ? undefined : found
}

function sureInText(
  { path }: PageAtom,
  masked: Masked,
  one: Slot,
  other: Slot,
  { elapsedMs }: PairSurroundings,
): SureReason | undefined {
  if (one.shape !== 'time' || !(isBare(masked) || /(?:^|> )time[^>]*$/.test(path.text))) return undefined
  const earlier = ageOf(one.text)
  const later = ageOf(other.text)
  if (earlier === undefined || later === undefined) return undefined
  const slackSeconds = earlier.unitSeconds + later.unitSeconds
  const isPassed = Math.abs(later.seconds - earlier.seconds - elapsedMs / 1_000) <= slackSeconds
  return isPassed && later.seconds >= earlier.seconds ? 'time passed' : undefined
}

function sureInScript({ shape, name }: Slot): SureReason | undefined {
  if (shape !== 'token') return undefined
  if (/build|deploy|release|commit/i.test(name)) return 'build'
  return tokenNames.test(name) ? 'session token' : undefined
}

function sureInAttribute(
  atom: PageAtom,
  name: string,
  one: Slot,
  other: Slot,
  isCode: boolean,
): SureReason | undefined {
  if (one.shape !== 'token') return isCode && isCacheName(one.name) ? 'build' : undefined
  // A digest behind the name of a class is made anew with every build of a site's styles.
  if (isCode || name === 'class') return 'build'
  const areTokens = isToken(one.text) && isToken(other.text)
  if (areTokens && isSessionName(one.name)) return 'session token'
  const holder = `${atom.attributes!.get('name') ?? ''} ${atom.attributes!.get('id') ?? ''}`
  const isHolder = /(?:^|> )(?:meta|input)\b[^>]*$/.test(atom.path.text) && tokenNames.test(holder)
  return areTokens && isHolder ? 'session token' : undefined
}

function isCodeElement(path: PagePath, { attributes }: PageAtom): boolean {
  if (/(?:^|> )script[^>]*$/.test(path.text)) return true
  return /(?:^|> )link[^>]*$/.test(path.text) && assetRelations.test(attributes!.get('rel') ?? '')
}

function isAmountName(name: string): boolean {
  return /price|amount|cost|stock|score|qty|quantity|total|rating/i.test(name)
}

/** By the element it stands in, or by a currency beside that. */
function isAmountByPlace(atom: PageAtom, { neighboursOf }: PairSurroundings): boolean {
  return (
    atom.path.isAmount ||
    neighboursOf(atom).some((text) => text.length <= 12 && !/\d/.test(text) && isCurrency(text))
  )
}

interface SlotFacts {
  readonly shape: Shape
  readonly sure: SureReason | undefined
  readonly place: number
  readonly one: Slot
  readonly other: Slot
  readonly isRead: boolean
  readonly isAnywhere?: boolean
}

function slotChange(pair: AtomPair, attribute: string, facts: SlotFacts): BlockChange {
  const { shape, sure, place, one, other, isRead, isAnywhere } = facts
  const { path, context } = pair.after!
  const key = joinHash(hashOf(`${attribute} ${shape}`), place)
  return {
    ...shared(pair, attribute, one.text, other.text),
    shape,
    sure,
    slot: joinHash(isAnywhere ? path.hash : context, key),
    slotKey: siteKey(path, attribute, key),
    isDecrease: isRead && shape === 'count' && numberOf(other.text) < numberOf(one.text),
  }
}

function freeChange(
  pair: AtomPair,
  attribute: string,
  left: string,
  right: string,
  masks: readonly (Masked | undefined)[] = [],
): BlockChange {
  return {
    ...shared(pair, attribute, left, right),
    // A value is the same one again also with another token in it.
    beforeHash: hashOf(masks[0]?.skeleton ?? left),
    afterHash: hashOf(masks[1]?.skeleton ?? right),
    shape: 'free',
    sure: undefined,
    slot: 0,
    slotKey: 0,
    isDecrease: false,
  }
}

function shared(pair: AtomPair, attribute: string, left: string, right: string) {
  const { path, context } = pair.after ?? pair.before!
  return {
    path: attribute === '' ? path.text : `${path.text} @${attribute}`,
    block: context,
    blockKey: siteKey(path, '', (pair.after ?? pair.before!).kind === 'element' ? 1 : 2),
    box: path.box?.hash ?? 0,
    rotatingBox: path.rotating?.hash ?? 0,
    isSpecific: path.isSpecific,
    isToggled: pair.before === undefined || pair.after === undefined,
    sameShare: pair.sameShare,
    before: shown(left),
    after: shown(right),
    beforeHash: hashOf(left),
    afterHash: hashOf(right),
  }
}

/** The path in the high bits: see pathOfKey. */
function siteKey({ hash }: PagePath, attribute: string, variant: number): number {
  return hash * 0x10000 + (joinHash(hashOf(attribute), variant) & 0xffff)
}

export function pathOfKey(key: number): number {
  return Math.floor(key / 0x10000)
}

function numberOf(text: string): number {
  return Number(text.replace(/\D/g, ''))
}

function shown(text: string): string {
  const plain = text.replaceAll('\u0000', ' ').trim()
  return plain.length > shownCharsMax ? `${plain.slice(0, shownCharsMax - 1)}…` : plain
}
