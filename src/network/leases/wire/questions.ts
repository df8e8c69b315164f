// Requests of lease holders to members, and the answers, as bytes. Every list is bounded.

import { counter, number, ringKey } from '../../../formats/wire/message-fields.ts'
import { list, type Out, optional, record, Times, union } from '../../../formats/wire/message-schema.ts'
import { accepted, ballot, lease } from './lease-coding.ts'

/** In one message. */
export const sitesMax = 1_000
const leftMsMax = 2 ** 32

const siteEpoch = record({ site: ringKey, epoch: counter })
export type SiteEpoch = Out<typeof siteEpoch>

const siteLease = record({ site: ringKey, lease })
export type SiteLease = Out<typeof siteLease>

/** An attempt to decide the epoch after `base`: with `proposal` an accept request, without it a prepare request. */
const attempt = record({
  site: ringKey,
  base: optional(lease),
  ballot,
  proposal: optional(lease),
}).checked(
  ({ base, proposal }) => proposal === undefined || proposal.epoch === (base?.epoch ?? 0) + 1,
  'an epoch that does not follow',
)
export type Attempt = Out<typeof attempt>

export const memberQuestion = union('question to a member', {
  /** Renew the grant of my leases. `session`: as told last time. Answered with `memberSession`. */
  renew: { session: number() },
  /** Do I hold the leases of these, by your records? Answered with `flags`. */
  attest: { session: number(), sites: list(ringKey, sitesMax) },
  /** Answered with `attemptAnswers`. */
  attempt: { attempts: list(attempt, sitesMax) },
  /** These are decided. */
  learn: { sites: list(siteLease, sitesMax) },
  /** I release these leases. */
  'lay-down': { sites: list(siteEpoch, sitesMax) },
  /** What is decided or accepted, by your records? Answered with `recollections`. */
  recall: { sites: list(ringKey, sitesMax) },
  /** To a lease holder: release this if you do not need it. */
  yield: { sites: list(siteLease, sitesMax) },
})
export type Question = Out<typeof memberQuestion>

export const memberSession = number()

const attemptAnswer = union('answer to an attempt', {
  /** Promised, or accepted. `accepted`: what this member has accepted of another attempt. */
  agreed: { accepted: optional(accepted) },
  /** More has been decided than the attempt knows. */
  decided: { decided: lease },
  /** Another attempt came later. */
  outbid: { ballot },
  /** This lease has not expired. */
  bound: { to: lease, leftMs: number(leftMsMax).as((leftMs) => leftMs, Math.ceil) },
  /** The base of the attempt is not known here, and not confirmed yet. */
  unsure: {},
})
export type AttemptAnswer = Out<typeof attemptAnswer>
export const attemptAnswers = new Times(attemptAnswer)

export const recollections = new Times(record({ decided: optional(lease), accepted: optional(accepted) }))
