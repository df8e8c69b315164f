// Judgement: whether a change is cosmetic: whether every part of a page that changed is one that changes at every visit, or can be
// nothing but noise. And learning, from each visit.
//
// Invariant: one part that is not explained makes the whole change real. In doubt a change is real: noise that is shown costs a
// reader a glance, an edit that is hidden costs what the archive is for.

import type { IgnoredPart, IgnoredReason } from '../../change-event.ts'
import type { VersionDifference } from '../page-change.ts'
import type { BlockChange } from './block-change.ts'
import { PageMemory } from './page-memory.ts'
import { type NotedPlace, SiteMemory } from './site-memory.ts'
import { hashOf } from './value-hash.ts'

export interface Judgement {
  readonly cosmetic: boolean
  /** What would be left out, the first of them; of a real change, beside what is real in it. */
  readonly ignored: readonly IgnoredPart[]
  /** Where the first part stands that is not explained; undefined when the change is cosmetic. */
  readonly realPath: string | undefined
}

const ignoredMax = 20

/** After four visits there are three changes. */
const changesMin = 3

/** Whether it is noise to somebody who saw the page twice only. */
export function isSurelyCosmetic(difference: VersionDifference): boolean {
  return judge(difference, new PageMemory(), new SiteMemory()).cosmetic
}

export function judge(difference: VersionDifference, page: PageMemory, site: SiteMemory): Judgement {
  const { blocks, isMore } = difference
  if (blocks.length === 0 && !isMore) {
    const ignored: IgnoredPart = { path: '', reason: 'not shown', before: '', after: '' }
    return { cosmetic: true, ignored: [ignored], realPath: undefined }
  }
  const ignored: IgnoredPart[] = []
  let realPath: string | undefined
  for (const block of blocks) {
    const reason = block.sure ?? learnedReason(block, page, site)
    if (reason === undefined) {
      realPath ??= block.path
      continue
    }
    const { path, before, after } = block
    if (ignored.length < ignoredMax) ignored.push({ path, reason, before, after })
  }
  if (isMore) realPath ??= ''
  return { cosmetic: realPath === undefined, ignored, realPath }
}

function learnedReason(block: BlockChange, page: PageMemory, site: SiteMemory): IgnoredReason | undefined {
  if (block.shape === 'amount') return undefined
  if (block.shape === 'free') return isRotating(block, page, site) ? 'rotates' : undefined
  if (isVariable(block, page)) {
    // Counts of visitors rise. One that also falls is noise only where that is so all over the site.
    const known = page.slot(block.slot)!
    const falls = block.isDecrease || known.decreases > 0
    if (!falls || site.isVariable(block.slotKey)) return 'differs at every visit'
  }
  if (isVariableOnSite(block, page, site)) return 'differs on every page of the site'
  const mayRotate = block.shape === 'time' || block.shape === 'token'
  return mayRotate && isRotating(block, page, site) ? 'rotates' : undefined
}

const shareMin = { time: 0.5, token: 0.5, count: 0.75 } as const

function isVariable({ slot, shape }: BlockChange, page: PageMemory): boolean {
  const known = page.slot(slot)
  if (known === undefined || shape === 'free' || shape === 'amount') return false
  return known.changes >= changesMin && page.shareOf(known) >= shareMin[shape]
}

/** For pages that were seen too seldom to know better, and where a place moved within its page. */
function isVariableOnSite(block: BlockChange, page: PageMemory, site: SiteMemory): boolean {
  if (!block.isSpecific || block.sameShare > 0.1 || !site.isVariable(block.slotKey)) return false
  const known = page.slot(block.slot)
  if (known !== undefined) return page.shareOf(known) >= 0.75
  if (page.visits < changesMin) return true
  for (const other of page.slots()) {
    if (other.key !== block.slotKey) continue
    if (other.changes >= changesMin && page.shareOf(other) >= 0.5) return true
  }
  return false
}

/** In a box that rotates by what the site's pages show, or by its name and what this page showed. */
function isRotating(block: BlockChange, page: PageMemory, site: SiteMemory): boolean {
  const { box, rotatingBox, isToggled } = block
  const isNamed = isChangingBox(rotatingBox, page, { changes: 2, share: 0.6 })
  const isKnown = site.isRotating(boxKey(box)) && isChangingBox(box, page, { changes: 1, share: 0.3 })
  if (!isNamed && !isKnown) return false
  if (isToggled) return true
  // What stood still in the box so far is not what rotates.
  const known = page.block(block.block)
  if (known === undefined || page.shareOf(known) < 0.2) return false
  return site.isVariable(block.blockKey, 0.7) || (known.changes >= 2 && page.shareOf(known) >= 0.3)
}

function isChangingBox(box: number, page: PageMemory, min: { changes: number; share: number }): boolean {
  const known = box === 0 ? undefined : page.block(box)
  return known !== undefined && known.changes >= min.changes && page.shareOf(known) >= min.share
}

function boxKey(box: number): number {
  return box * 0x10000 + 0xffff
}

/** `pageName`: its URL. After the judgement, for each visit whose version differs from the one before. */
export function learn(
  difference: VersionDifference,
  page: PageMemory,
  site: SiteMemory,
  pageName: string,
): void {
  page.nextVisit()
  const places = new Map<number, NotedPlace>()
  const seen = new Set<number>()
  const once = (key: number): boolean => !seen.has(key) && seen.add(key) !== undefined
  for (const block of difference.blocks) {
    if (block.sure !== undefined) continue
    if (block.slot !== 0 && once(block.slot)) {
      page.noteSlot(block.slot, block.slotKey, block.isDecrease)
      notePlace(places, { key: block.slotKey, isChanged: block.sameShare <= 0.1, isReturn: false })
    }
    // Where only slots change, the block is not what rotates, unless it did before.
    if ((block.slot === 0 || page.block(block.block) !== undefined) && once(block.block)) {
      page.noteBlock(block.block, block.blockKey)
      notePlace(places, { key: block.blockKey, isChanged: block.sameShare <= 0.3, isReturn: false })
    }
  }
  for (const place of noteBoxes(difference, page)) places.set(place.key, place)
  site.note(hashOf(pageName) & 0xffff || 1, [...places.values()], new Set(difference.paths))
}

/** Boxes of which most changed. */
const boxSameMax = 0.5

function noteBoxes({ blocks, boxes }: VersionDifference, page: PageMemory): NotedPlace[] {
  const free = Map.groupBy(
    blocks.filter(({ slot }) => slot === 0),
    ({ box }) => box,
  )
  const named = new Set(blocks.map(({ rotatingBox }) => rotatingBox))
  const sameShares = new Map(boxes)
  for (const box of named) if (box !== 0 && !free.has(box)) page.noteBlock(box, boxKey(box))
  return [...free].flatMap(([box, inBox]) => {
    if (box === 0 || sameShares.get(box)! > boxSameMax) return []
    const went = valuesOf(inBox.map(({ before, beforeHash }) => [before, beforeHash]))
    const came = valuesOf(inBox.map(({ after, afterHash }) => [after, afterHash]))
    page.noteBlock(box, boxKey(box))
    const isReturn = page.noteValues(
      box,
      went,
      came.filter((value) => !went.includes(value)),
    )
    return [{ key: boxKey(box), isChanged: true, isReturn, came }]
  })
}

/** Of values that say something. */
function valuesOf(values: readonly (readonly [shown: string, hash: number])[]): number[] {
  return values.filter(([shown]) => shown.length > 2).map(([, hash]) => hash)
}

/** After a visit that gave the same bytes as the one before. */
export function learnUnchanged(page: PageMemory, site: SiteMemory): void {
  page.nextVisit()
  const keys = [...page.slots(), ...page.blocks()].map(({ key }) => key)
  site.noteUnchanged(keys)
}

function notePlace(places: Map<number, NotedPlace>, noted: NotedPlace): void {
  const known = places.get(noted.key)
  if (known === undefined) places.set(noted.key, noted)
  else
    places.set(noted.key, {
      key: noted.key,
      isChanged: known.isChanged && noted.isChanged,
      isReturn: known.isReturn || noted.isReturn,
    })
}
