// Requests of a site's owner to the member that is to crawl it, and the answers, as bytes. Every list is bounded.

import { MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { choice, number, printable, ringKey } from '../../../formats/wire/message-fields.ts'
import { list, type Out, record, type Schema, Times, union } from '../../../formats/wire/message-schema.ts'
import type { PeerId } from '../../../platform/network/network.ts'

/** In one message. */
export const sitesMax = 500
const membersMax = 64

const peer: Schema<PeerId> = printable(128).checked((name) => name !== '', 'a peer without a name')

const entrusted = record({
  site: ringKey,
  members: list(peer, membersMax).checked(
    (members) => new Set(members).size === members.length,
    'a peer is named twice',
  ),
})
export type Entrusted = Out<typeof entrusted>

export const leadQuestion = union('question about who crawls sites', {
  /** The ring gives these to me: crawl them, with these members, until I take them back or have not said so for long. Answered
   * with `leadReplies`. Also asked of no sites: for the load alone. */
  lead: { sites: list(entrusted, sitesMax) },
  /** I crawl these myself again, or another member does. */
  back: { sites: list(ringKey, sitesMax) },
})
export type LeadQuestion = Out<typeof leadQuestion>

/** `leading`: it is crawled here. `coming`: it will be, once its lease and its state are here. `no`: it will not be. */
const leadAnswer = choice(['leading', 'coming', 'no'])
export type LeadAnswer = Out<typeof leadAnswer>
export const leadAnswers = new Times(leadAnswer)

/** More than any peer does in ten minutes: what is said beyond it is not believed. */
export const loadMax = 10_000_000
const load = number(loadMax)
const loads = new Times(load)
/** A ticket gives no more. */
const shareMax = 16
const share = number(shareMax)

/** What all its sites give a peer to do, and each of those that it was asked about, in pages of ten minutes. */
export interface LoadReport {
  readonly total: number
  readonly sites: readonly number[]
  /** How much the peer gives, in positions; earlier peers do not say. */
  readonly share?: number | undefined
}

/** How long a connection to a network of servers takes whoever says so. */
export const toldMsMax = 60_000
const toldTime = record({ address: printable(45), ms: number(toldMsMax) })
export type ToldTime = Out<typeof toldTime>
export const timesMax = 128
const toldTimes = list(toldTime, timesMax)

/** The answers, behind them the load, and behind that now and then times: earlier peers neither send nor read what they do not know. */
export const leadReplies = {
  encode(
    answers: readonly LeadAnswer[],
    report: LoadReport | undefined,
    times: readonly ToldTime[] = [],
  ): Uint8Array {
    const writer = new MessageWriter()
    leadAnswers.write(writer, answers)
    if (report !== undefined) {
      load.write(writer, report.total)
      loads.write(writer, report.sites)
      // Nothing is said by none: whoever is on the ring gives one at least.
      share.write(writer, report.share ?? 0)
      if (times.length > 0) toldTimes.write(writer, times)
    }
    return writer.finish()
  },

  decode(
    bytes: Uint8Array,
    count: number,
  ): { answers: LeadAnswer[]; report: LoadReport | undefined; times: readonly ToldTime[] } {
    const reader = new MessageReader(bytes)
    const answers = leadAnswers.read(reader, count)
    if (reader.isAtEnd) return { answers, report: undefined, times: [] }
    const report = { total: load.read(reader), sites: loads.read(reader, count) }
    if (reader.isAtEnd) return { answers, report, times: [] }
    const given = share.read(reader)
    const times = reader.isAtEnd ? [] : toldTimes.read(reader)
    return { answers, report: given === 0 ? report : { ...report, share: given }, times }
  },
}
