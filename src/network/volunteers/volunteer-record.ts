// What a peer knows of a volunteer: what it fetched, how often that was looked at again by others, and what came of it. Its score and
// state follow from that alone.
//
// Pure. A record is this peer's own experience: what others say of a volunteer is not counted.

import * as v from 'valibot'
import type { VolunteerStatus } from '../../model/peer-status.ts'

export type VolunteerState = VolunteerStatus['state']

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

const recordSchema = v.object({
  firstMs: v.number(),
  lastMs: v.number(),
  /** How long it was there, while this peer was. */
  presentMs: v.optional(count, 0),
  /** URLs it answered for, and bytes of those answers. */
  fetched: count,
  bytes: count,
  /** Of those that another fetched as well: were the same but for noise. */
  agreed: count,
  /** Of these: this peer itself, or a volunteer that was proven, saw the same. */
  assured: v.optional(count, 0),
  /** Were found wrong: this peer itself, and another, saw something else. */
  wrong: count,
  /** Differed at everybody: nobody is to blame. */
  undecided: count,
  /** Were said to have failed, and had not. */
  falseFailures: count,
  /** Bundles given out, and those that were late, or never came back. */
  bundles: count,
  overdue: count,
  /** Bundles that took longer than their times add up to. */
  contradicted: v.optional(count, 0),
  /** Of the pages that it alone brought, by their numbers: those before `settled` stand whatever is looked at later. Those before `mark`
   * follow when enough was compared since, and right: `markAgreed` is what `agreed` was then. */
  settled: v.optional(count, 0),
  mark: v.optional(count, 0),
  markAgreed: v.optional(count, 0),
  /** Why it is shut out. */
  barred: v.optional(v.pipe(v.string(), v.maxLength(500))),
})
export type VolunteerRecord = v.InferOutput<typeof recordSchema>

export interface TrustTerms {
  /** So many of a newcomer's pages are all looked at again. */
  readonly newcomerPages: number
  /** Of the pages after that, this part is. */
  readonly checkShare: number
  /** So many wrong pages shut it out. */
  readonly wrongMax: number
  /** What it brought unseen stands once so many of its later pages were looked at. */
  readonly settlingPages: number
}

/** Half of those that forge every other page are caught by the first page, three quarters by two. */
const triedPages = 2

export const trustTermsDefault: TrustTerms = {
  newcomerPages: 6,
  checkShare: 0.06,
  wrongMax: 2,
  settlingPages: 6,
}

export function newRecord(nowMs: number): VolunteerRecord {
  return {
    ...{
      firstMs: nowMs,
      lastMs: nowMs,
      presentMs: 0,
      fetched: 0,
      bytes: 0,
      agreed: 0,
      assured: 0,
      wrong: 0,
      undecided: 0,
    },
    ...{ falseFailures: 0, bundles: 0, overdue: 0, contradicted: 0, settled: 0, mark: 0, markAgreed: 0 },
  }
}

/** undefined for what is none. */
export function readRecord(bytes: Uint8Array): VolunteerRecord | undefined {
  try {
    const read = v.safeParse(recordSchema, JSON.parse(Buffer.from(bytes).toString()))
    return read.success ? read.output : undefined
  } catch {
    return undefined
  }
}

export function stateOf({ agreed, barred }: VolunteerRecord, { newcomerPages }: TrustTerms): VolunteerState {
  if (barred !== undefined) return 'barred'
  return agreed >= newcomerPages ? 'proven' : 'new'
}

/** 0 to 1: how much of what it says and promises holds. A newcomer begins in the middle; one wrong page weighs as much as fifty right
 * ones, one late bundle as half a page. */
export function scoreOf({ agreed, wrong, falseFailures, overdue, barred }: VolunteerRecord): number {
  if (barred !== undefined) return 0
  const good = agreed + 1
  const score = good / (good + 1 + 50 * wrong + falseFailures + 0.5 * overdue)
  return Math.round(score * 1_000) / 1_000
}

/** How likely a page that it brought is looked at again. */
export function checkChanceOf(record: VolunteerRecord, terms: TrustTerms): number {
  return isProven(record, terms) ? terms.checkShare : 1
}

/** Whether its word is enough for another's. */
export function isProven(record: VolunteerRecord, terms: TrustTerms): boolean {
  return stateOf(record, terms) === 'proven' && record.wrong === 0
}

/** Whether it was right in some pages that this peer could tell of without another newcomer: before that, two newcomers that agree may be
 * two that lie together. */
export function isTried({ assured, wrong }: VolunteerRecord): boolean {
  return assured >= triedPages && wrong === 0
}

/** As people read it: what its score is based on. */
export function basisOf(record: VolunteerRecord): string {
  const { agreed, wrong, undecided, falseFailures, overdue, contradicted, bundles, barred } = record
  const parts = [
    `${agreed} pages confirmed by others`,
    `${wrong} wrong`,
    `${undecided} undecided`,
    `${falseFailures} failures that were none`,
    `${overdue} of ${bundles} bundles late`,
    ...(contradicted === 0 ? [] : [`${contradicted} took longer than it says`]),
  ]
  return `${barred === undefined ? '' : `shut out: ${barred}; `}${parts.join(', ')}`
}

/** The network that an address lies in: volunteers of one may belong together. '' is known of nobody, nor of whoever comes through a
 * relay. */
export function networkPrefixOf(address: string | undefined): string {
  if (address?.includes('/p2p-circuit')) return ''
  const four = /\/ip4\/(\d+\.\d+)\./.exec(address ?? '')
  if (four !== null) return four[1]!
  const six = /\/ip6\/([^/]+)/.exec(address ?? '')
  if (six === null) return ''
  const [first = '', second = ''] = six[1]!.split(':')
  return `${first}:${second}`
}

/** As people write networks. */
export function writtenPrefix(prefix: string): string {
  return prefix.includes(':') ? `${prefix}::/32` : `${prefix}.0.0/16`
}

export type VolunteerView = VolunteerStatus
