// What volunteers and the peers that crawl sites say to each other, as bytes. A volunteer asks for work, keeps telling that it is at it,
// and gives back what came of it; nobody ever calls a volunteer.
//
//   ask    I have room for so many bundles        → work, or none: ask again after so long
//   hold   I am still at these                    → for so long each, or not at all: then it stops
//   give   what came of this bundle, a part of it → taken, or refused
//   tell   who else crawls, and how do I do       → other peers, figures
//   release  which version does the network run   → what its key has signed
//
// Times are lengths: no two clocks are compared, except that a peer says what time it has, for captures.

import {
  bytes,
  choice,
  counter,
  fixed,
  flag,
  float,
  number,
  printable,
  text,
} from '../../formats/wire/message-fields.ts'
import { list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'
import { releaseBytesMax } from '../releases/release.ts'

export const bundleIdBytes = 16
export const urlBytesMax = 8_192
/** URLs of a bundle. */
export const urlsMax = 16
/** Bundles of one answer. */
export const bundlesMax = 8
/** Bundles of one volunteer at one peer. */
export const heldMax = 16
/** Of a message of answers, compressed. */
export const givenBytesMax = 3 * 1024 * 1024
/** Of the answers in it. */
export const givenBytesMaxUnpacked = 24 * 1024 * 1024
/** Of robots.txt, as far as it is sent along. */
export const robotsBytesMax = 64 * 1024
const validatorBytesMax = 2_048
const leadersMax = 32
const addressesMax = 8
const addressBytesMax = 256
const peerBytesMax = 128
const msMax = 86_400_000

export const volunteerQuestion = union('question of a volunteer', {
  ask: {
    free: number(bundlesMax),
    /** It waits for an answer so long. */
    patienceMs: number(120_000),
    program: printable(100),
  },
  hold: { ids: list(fixed(bundleIdBytes), heldMax) },
  give: { id: fixed(bundleIdBytes), isLast: flag, packed: bytes(givenBytesMax) },
  tell: {},
  release: {},
})
export type VolunteerQuestion = Out<typeof volunteerQuestion>

/** How a host is to be asked: see politeness-rules.ts. `delayMs`: instead of a pause by the response's length. */
const paceSchema = record({
  delayMs: optional(number(msMax)),
  delayFactor: number(1_000),
  delayMsMin: number(msMax),
  delayMsMax: number(msMax),
  leastMs: number(msMax),
})
export type BundlePace = Out<typeof paceSchema>

const bundleSchema = record({
  id: fixed(bundleIdBytes),
  /** `high`: somebody else was late with it. */
  urgency: choice(['normal', 'high']),
  urls: list(
    record({
      href: text(urlBytesMax),
      etag: optional(text(validatorBytesMax)),
      lastModified: optional(text(validatorBytesMax)),
      bytesMax: number(64 * 1024 * 1024),
    }),
    urlsMax,
  ),
  pace: paceSchema,
  /** Before the first request. */
  startMs: number(msMax),
  /** The host may be asked for so long, unless `hold` lengthens it: whatever is under way then is ended. */
  fenceMs: number(msMax),
  /** What came is to be given by then. */
  deadlineMs: number(msMax),
  /** By what this peer allowed them: the volunteer looks for itself. */
  robots: optional(bytes(robotsBytesMax)),
})
export type WireBundle = Out<typeof bundleSchema>

export const volunteerAnswer = union('answer to a volunteer', {
  /** `heldMs`: the question lay here for so long before it was answered. */
  work: {
    heldMs: number(msMax),
    nowMs: counter,
    userAgent: printable(500),
    bundles: list(bundleSchema, bundlesMax),
  },
  none: { retryMs: number(msMax) },
  /** In the order of the question; 0: stop. */
  held: { fenceMs: list(number(msMax), heldMax) },
  taken: {},
  told: {
    leaders: list(
      record({ peer: printable(peerBytesMax), addresses: list(printable(addressBytesMax), addressesMax) }),
      leadersMax,
    ),
    fetched: counter,
    bytes: counter,
    score: float,
    state: choice(['new', 'proven', 'barred']),
    /** Among the volunteers that this peer knows, by pages. */
    rank: counter,
    of: counter,
    program: printable(100),
  },
  refused: { code: printable(64), reason: printable(500) },
  /** As release.ts writes it; none where nothing was released. */
  released: { release: optional(bytes(releaseBytesMax)) },
})
export type VolunteerAnswer = Out<typeof volunteerAnswer>
export type ToldAnswer = Extract<VolunteerAnswer, { kind: 'told' }>

export function volunteerRefusal(code: string, reason: string): VolunteerAnswer {
  return { kind: 'refused', code, reason: reason.replace(/[^\x20-\x7e]/g, '?').slice(0, 500) }
}

export { addressesMax as leaderAddressesMax, leadersMax as volunteerLeadersMax }
