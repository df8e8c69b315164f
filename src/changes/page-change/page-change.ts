// Page change: what changed between two versions of a page, in figures, and block by block for the judgement whether that is
// only noise (cosmetic/judgement.ts).
//
// Pure, total and bounded, for the thread that reads crawled pages: any two texts end in a result, in time linear in them but for
// differences with a bound of their own; of texts beyond a limit only the beginning is looked at, and such a change is never noise.
// The result is plain data.

import { KnownTags, readMarkup } from '../../formats/markup/markup-reading.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import { BothReaders } from './both-readers.ts'
import { changedPairs, isSameOrder, setContexts } from './cosmetic/atom-difference.ts'
import { type BlockChange, blockChanges } from './cosmetic/block-change.ts'
import { AtomReader, PagePaths, readLines } from './cosmetic/page-atoms.ts'
import type { PageAtom, Side } from './cosmetic/page-path.ts'
import { type Comparable, comparableText, LinkTargets, SeenPage } from './difference/comparable.ts'
import { isHtml } from './difference/comparison.ts'
import { linkCounts } from './difference/link-difference.ts'
import { changedWordShare } from './word-share.ts'

export interface PageVersion {
  readonly text: string
  /** Of the content before it was decoded. */
  readonly bytes: number
  readonly contentType: string
  /** Where its relative links start from. */
  readonly url: string
  readonly capturedAtMs: number
}

export interface PageChange {
  /** Words removed and added, of all words of both: 0 to 1. */
  readonly wordShare: number
  readonly linksAdded: number
  readonly linksRemoved: number
  readonly titleBefore: string
  readonly title: string
  readonly bytesBefore: number
  readonly bytes: number
}

export interface VersionDifference {
  readonly change: PageChange
  readonly blocks: readonly BlockChange[]
  /** Boxes in which something changed, and the share of each that stayed the same. */
  readonly boxes: readonly (readonly [box: number, sameShare: number])[]
  /** Hashes of all paths of both versions. */
  readonly paths: readonly number[]
  /** The blocks do not tell all: something changed its place, or there was too much. */
  readonly isMore: boolean
}

/** What lies beyond is not looked at. */
export const charsMax = 1_000_000
const blocksMax = 1_000
const limits = { lines: 10_000, links: 5_000, lineChars: 2_000 }

export function versionDifference(before: PageVersion, after: PageVersion): VersionDifference {
  const shared = { paths: new PagePaths(), tags: new KnownTags(), targets: new LinkTargets() }
  const { paths } = shared
  const left = readVersion(before, shared, 0)
  const right = readVersion(after, shared, 1)
  const links = linkCounts(left.seen.links, right.seen.links)
  const change: PageChange = {
    wordShare: changedWordShare(left.seen.lines, right.seen.lines),
    linksAdded: links.added,
    linksRemoved: links.removed,
    titleBefore: left.seen.title,
    title: right.seen.title,
    bytesBefore: before.bytes,
    bytes: after.bytes,
  }
  const pairs = changedPairs(paths.all)
  setContexts(left.atoms)
  setContexts(right.atoms)
  const around = {
    elapsedMs: after.capturedAtMs - before.capturedAtMs,
    neighboursOf: (atom: PageAtom) => neighboursIn(right.atoms, atom),
  }
  const blocks = pairs.slice(0, blocksMax).flatMap((pair) => blockChanges(pair, around))
  const isMore =
    left.isCut || right.isCut || pairs.length > blocksMax || !isSameOrder(left.atoms, right.atoms, pairs)
  const boxes = changedBoxes(blocks, right.atoms)
  return {
    change,
    boxes,
    blocks: withoutLargeBoxes(withoutRepeats(blocks), right.atoms),
    paths: paths.all.map(({ hash }) => hash),
    isMore,
  }
}

interface ReadVersion {
  readonly seen: Comparable
  readonly atoms: readonly PageAtom[]
  readonly isCut: boolean
}

/** What the second version need not make again. */
interface Shared {
  readonly paths: PagePaths
  readonly tags: KnownTags
  readonly targets: LinkTargets
}

const noUrl = tryParseUrl('http://page.invalid/') as Url

function readVersion({ text, contentType, url }: PageVersion, shared: Shared, side: Side): ReadVersion {
  const looked = text.slice(0, charsMax)
  const reader = new AtomReader(shared.paths, side)
  const seen = isHtml(contentType, looked)
    ? readPage(looked, tryParseUrl(url) ?? noUrl, reader, shared)
    : readText(looked, reader)
  return { seen, atoms: reader.atoms, isCut: reader.isCut || text.length > charsMax }
}

function readPage(text: string, url: Url, reader: AtomReader, { tags, targets }: Shared): Comparable {
  const page = new SeenPage(url, limits, targets)
  readMarkup(text, new BothReaders(page, reader), tags)
  reader.finish()
  return page.finish()
}

function readText(text: string, reader: AtomReader): Comparable {
  readLines(text, reader)
  return comparableText(text, limits)
}

function neighboursIn(atoms: readonly PageAtom[], atom: PageAtom): [string, string] {
  const at = atoms.indexOf(atom)
  const text = (step: 1 | -1): string => {
    for (let next = at + step; next >= 0 && Math.abs(next - at) < 5 && next < atoms.length; next += step) {
      if (atoms[next]!.kind === 'text') return atoms[next]!.value
    }
    return ''
  }
  return [text(-1), text(1)]
}

/** Of tokens that are learned by their path alone, one stands for all. */
function withoutRepeats(blocks: readonly BlockChange[]): BlockChange[] {
  const seen = new Set<string>()
  return blocks.filter(({ slot, path, block, sure }) => {
    if (sure !== undefined) return true
    const key = slot === 0 ? `${block} ${path}` : `${slot}`
    return !seen.has(key) && seen.add(key) !== undefined
  })
}

/** A box with so much of a page's text is the page, whatever it is called. */
const boxShareMax = 0.3

function withoutLargeBoxes(blocks: BlockChange[], atoms: readonly PageAtom[]): BlockChange[] {
  if (blocks.every(({ rotatingBox }) => rotatingBox === 0)) return blocks
  const chars = new Map<number, number>()
  let charsInAll = 0
  for (const { kind, path, value } of atoms) {
    if (kind !== 'text') continue
    charsInAll += value.length
    const box = path.rotating?.hash
    if (box !== undefined) chars.set(box, (chars.get(box) ?? 0) + value.length)
  }
  return blocks.map((block) =>
    (chars.get(block.rotatingBox) ?? 0) > charsInAll * boxShareMax ? { ...block, rotatingBox: 0 } : block,
  )
}

function changedBoxes(blocks: readonly BlockChange[], atoms: readonly PageAtom[]): [number, number][] {
  const counts = new Map<number, { all: number; same: number }>()
  for (const { box } of blocks) if (box !== 0) counts.set(box, { all: 0, same: 0 })
  for (const { path, value, isChanged } of atoms) {
    const count = value === '' || path.box === undefined ? undefined : counts.get(path.box.hash)
    if (count === undefined) continue
    count.all++
    if (!isChanged) count.same++
  }
  return [...counts].map(([box, { all, same }]) => [box, all === 0 ? 0 : same / all])
}
