// What became of a job, in one word and by reasons: complete, partly, or nothing kept.
//
// A job counts what it missed by a stable code, with one example of each. Codes of fetches are those of
// src/platform/network/web.ts; the others are named here. The words are what people read; scripts go by the codes.
// What robots.txt forbids makes a job partial only where it was asked for by name: few sites allow everything, and
// a word that is said of nearly all of them says nothing.

import type { JobMissing } from '../../model/jobs/job-missing.ts'
import type { CrawlJob } from '../frontier/jobs/crawl-job.ts'

export type JobOutcome = 'complete' | 'partly' | 'nothing'

/** A reason why URLs of a job were not kept: how many, and the first of them. */
type Missed = Omit<JobMissing, 'code' | 'words'>

export type MissedByCode = Readonly<Record<string, Missed>>

/** Why a URL was not kept, as it is counted. */
export interface MissedReason {
  readonly code: string
  readonly reason: string
}

/** In English, for programs; src/ui/texts has them in the readers' languages. */
export const reasonsByCode = {
  'dns-not-found': 'the name has no address',
  'dns-failed': 'the name could not be looked up',
  'connect-refused': 'the server refused the connection',
  'connect-failed': 'the server could not be reached',
  'connect-timeout': 'the server did not answer in time',
  'tls-failed': 'the secure connection failed',
  'head-too-large': 'the answer was not readable',
  'malformed-http': 'the answer was not readable',
  stalled: 'the server stopped answering',
  timeout: 'the server did not answer in time',
  reset: 'the server broke the connection off',
  'server-busy': 'the server asked to come back later',
  'host-down': 'the server is down',
  'robots-unreachable': 'robots.txt could not be read',
  robots: 'robots.txt does not allow it',
  'address-forbidden': 'the address is not allowed',
  noarchive: 'the page asks not to be archived',
  'type-not-wanted': 'its type was not wanted',
  'taken-down': 'it was taken down',
  method: 'a part of a page would change something at its server',
  form: 'a part of a page sends a form',
  beacon: 'a part of a page only tells its server something',
  websocket: 'a part of a page is a WebSocket',
  stream: 'a part of a page has no end',
  'request-too-large': 'a part of a page sends too much',
  'page-limit': 'a page asked for more than is kept of one',
  'page-time': 'a page did not get a part in time',
  'out-of-turn': 'a page did not get a part in time',
  'out-of-scope': 'a part of a page is out of scope',
  'other-peer': 'another peer is to fetch it',
  'bad-url': 'it is no URL that can be kept',
  'page-crashed': 'the browser crashed while it showed the page',
  'no-browser': 'it was kept without what its scripts fetch: there was no browser',
  'rule-denied': 'a rule of the archive denies it',
} as const

/** Answers that came and were not kept. */
const notKeptCodes: ReadonlySet<string> = new Set(['noarchive', 'type-not-wanted', 'taken-down'])
/** What a job leaves out by rule. */
const byRuleCodes: ReadonlySet<string> = new Set([
  ...notKeptCodes,
  'robots',
  'method',
  'form',
  'beacon',
  'websocket',
  'stream',
  'out-of-scope',
  'other-peer',
])
const examplesMax = 64
const charsMax = 2_000

function wordsOf(code: string): string {
  return (reasonsByCode as Readonly<Record<string, string>>)[code] ?? 'it could not be fetched'
}

/** With one more. Codes beyond a bound are not told apart. */
export function withMissed(
  missed: MissedByCode,
  { code, reason }: MissedReason,
  { href, isSeed }: { readonly href: string; readonly isSeed: boolean },
): MissedByCode {
  const name = missed[code] !== undefined || Object.keys(missed).length < examplesMax ? code : 'other'
  const before = missed[name] ?? {
    count: 0,
    seeds: 0,
    url: href.slice(0, charsMax),
    reason: reason.slice(0, charsMax),
  }
  const more = { count: before.count + 1, seeds: before.seeds + (isSeed ? 1 : 0) }
  return { ...missed, [name]: { ...before, ...more } }
}

type Ended = Pick<CrawlJob, 'state' | 'ending' | 'missed'> & {
  readonly counters: { readonly fetched: number; readonly failed: number; readonly refused: number }
}

/** undefined while it is not over. */
export function outcomeOf({ state, ending, counters, missed = {} }: Ended): JobOutcome | undefined {
  if (state !== 'done') return undefined
  const parts = Object.entries(missed)
  const notKept = parts.reduce((sum, [code, { count }]) => sum + (notKeptCodes.has(code) ? count : 0), 0)
  const isNothing = counters.fetched - notKept <= 0
  if (isNothing && counters.failed + counters.refused + notKept > 0) return 'nothing'
  const hasGaps = parts.some(([code, { seeds }]) => isGap({ code, seeds }))
  return hasGaps || counters.failed > 0 || ending !== 'complete' ? 'partly' : 'complete'
}

/** Whether what is missing makes a job partial. */
export function isGap({ code, seeds }: Pick<JobMissing, 'code' | 'seeds'>): boolean {
  return seeds > 0 || !byRuleCodes.has(code)
}

/** The most frequent first. */
export function missingParts(missed: MissedByCode = {}): JobMissing[] {
  return Object.entries(missed)
    .map(([code, part]) => ({ code, words: wordsOf(code), ...part }))
    .sort((left, right) => right.count - left.count)
}

/** What the owner can do about it, if there is something. The pages have the same in other languages (ui/screens/jobs/job-outcome.ts). */
export function adviceOn(missed: MissedByCode = {}): string | undefined {
  if (missed['address-forbidden'] !== undefined)
    return 'Machines of your own network are crawled only where you allow it: start the crawl, or the peer, with --allow-address, such as --allow-address 127.0.0.0/8.'
  if (missed['no-browser'] !== undefined) return `Pages that scripts write: ${missed['no-browser'].reason}`
  if (missed['tls-failed'] !== undefined)
    return 'Certificates that cannot be verified are taken with --insecure; the archive notes it.'
  // Of pages that link to what is gone nobody wants to hear more.
  return Object.entries(adviceOnSeeds).find(([code]) => (missed[code]?.seeds ?? 0) > 0)?.[1]
}

const later = 'The fault lies with the server: crawl it again later.'
const adviceOnSeeds: Readonly<Record<string, string>> = {
  'dns-not-found': 'No server has this name: look whether it is spelt right. The site may be gone.',
  'dns-failed': 'Look whether this machine is on the network, and crawl again later.',
  'connect-refused':
    'Nothing answers there: look whether the address and its port are right, and crawl again later.',
  'connect-failed':
    'Look whether this machine is on the network and the address is right, and crawl again later.',
  robots: 'The owner of the site keeps crawlers out. With their permission, crawl with --ignore-robots.',
  'connect-timeout': later,
  timeout: later,
  stalled: later,
  reset: later,
  'server-busy': later,
  'host-down': later,
  'robots-unreachable': later,
}
