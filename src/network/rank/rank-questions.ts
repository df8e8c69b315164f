// What peers ask each other about ranks, as bytes. Every list is bounded.

import {
  bytes,
  counter,
  flag,
  float,
  number,
  printable,
  ringKey,
  text,
} from '../../formats/wire/message-fields.ts'
import { list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'
import { linkCharsMax, tryParseLink } from '../../model/url/url.ts'
import { pieceBytesMax, seedsMax } from '../../rank/rank-parts.ts'

/** Peers of one run: what everybody tells everybody at each iteration would be too much for more. */
export const participantsMax = 200
const positionsMax = 16 * participantsMax
const roundsMax = 1_000
const stepsMax = 10_000
export const piecesMax = 512
const peerBytesMax = 128
const siteBytesMax = 253
export const rankedMax = 1_000
export const pointsMax = 200

const peer = printable(peerBytesMax).checked((name) => name !== '', 'a peer without a name')
const href = text(linkCharsMax).checked((value) => tryParseLink(value)?.href === value, 'a href is no URL')
const score = float.checked((value) => value >= 0 && value <= 1, 'a score is out of bounds')

/** Who takes part in a run, and what each computes: the pages of the sites whose first position clockwise is its. */
const planFields = {
  run: counter,
  /** Tries of a run are counted: with each, somebody was left out. */
  round: number(roundsMax),
  participants: list(peer, participantsMax),
  /** In the order of the ring. */
  positions: list(record({ place: ringKey, participant: number(participantsMax - 1) }), positionsMax),
  damping: float.checked((value) => value >= 0 && value <= 0.99, 'a damping out of bounds'),
  tolerance: float.checked((value) => value >= 1e-14 && value <= 1, 'a tolerance out of bounds'),
  seeds: list(printable(siteBytesMax), seedsMax),
}
const tryFields = { run: counter, round: number(roundsMax) }

export const rankQuestion = union('question about ranks', {
  /** Begin this run, or this try of it. Answered with nothing. */
  begin: planFields,
  /** A piece of what my part tells yours at this step. Answered with nothing. */
  piece: {
    ...tryFields,
    step: number(stepsMax),
    piece: number(piecesMax - 1),
    pieces: number(piecesMax),
    bytes: bytes(pieceBytesMax),
  },
  /** How far are you, and whom do you wait for? Answered with `partState`. */
  state: tryFields,
  /** Answered with `rankAnswer`. */
  top: { isSites: flag, site: optional(printable(siteBytesMax)), limit: number(rankedMax) },
  /** The scores of a site over time. Answered with `rankPoints`. */
  curve: { site: printable(siteBytesMax) },
})
export type RankQuestion = Out<typeof rankQuestion>
export type RankPlan = Omit<Extract<RankQuestion, { kind: 'begin' }>, 'kind'>
export type RankPiece = Omit<Extract<RankQuestion, { kind: 'piece' }>, 'kind'>

export const partState = union('state of a part', {
  /** It does not take part in this try. */
  absent: {},
  working: { step: number(stepsMax), lacking: list(number(participantsMax - 1), participantsMax) },
  done: {},
})
export type PartState = Out<typeof partState>

/** Of sites: the href of its first page, or its name as one. */
export const rankAnswer = record({
  ranked: list(record({ url: href, score }), rankedMax),
  isPartial: flag,
  computedMs: counter,
})

export const rankPoints = list(record({ atMs: counter, score }), pointsMax)
