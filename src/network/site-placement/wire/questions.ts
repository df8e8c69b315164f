// Requests of a site's owner to the member that is to crawl it, and the answers, as bytes. Every list is bounded.

import { choice, printable, ringKey } from '../../../formats/wire/message-fields.ts'
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
   * with `leadAnswers`. */
  lead: { sites: list(entrusted, sitesMax) },
  /** I crawl these myself again, or another member does. */
  back: { sites: list(ringKey, sitesMax) },
})
export type LeadQuestion = Out<typeof leadQuestion>

/** `leading`: it is crawled here. `coming`: it will be, once its lease and its state are here. `no`: it will not be. */
const leadAnswer = choice(['leading', 'coming', 'no'])
export type LeadAnswer = Out<typeof leadAnswer>
export const leadAnswers = new Times(leadAnswer)
