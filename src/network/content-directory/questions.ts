// What peers ask each other about contents, and the answers, as bytes.
//
// To who owns the digests: are these known (`ask`), these are kept now (`register`), these are needed, or no more (`need`),
// where are these (`where`). To the others of its set: rows of the directory (`copy`). To who should keep contents: do you have
// these, hold these, let them go.

import { counter, rest, ringKey, sha256Digest } from '../../formats/wire/message-fields.ts'
import { type In, list, type Out, record, Times, union } from '../../formats/wire/message-schema.ts'
import { contentPlace, contentRow, firstCapture, need } from './content-row.ts'

export const itemsMax = 256

/** A payload that a peer is about to keep, of a page of that site. */
const askedContent = record({ digest: sha256Digest, sizeBytes: counter, site: ringKey })
export type AskedContent = Out<typeof askedContent>

/** `place`: where the captures are that it came with. */
const heldAt = record({ digest: sha256Digest, place: ringKey })
export type HeldAt = Out<typeof heldAt>
const held = { items: list(heldAt, itemsMax) }

export const contentQuestion = union('question about contents', {
  ask: { items: list(askedContent, itemsMax) },
  register: { items: list(contentPlace, itemsMax) },
  need: { items: list(need, itemsMax) },
  where: { items: list(record({ digest: sha256Digest }), itemsMax) },
  copy: { items: list(contentRow, itemsMax) },
  have: held,
  hold: held,
  'let-go': held,
  /** Of the content itself: a question of the view. */
  read: { bytes: rest },
})
export type ContentQuestion = In<typeof contentQuestion>

/** `foreign`: the digest is not the answerer's. `known`: kept with that capture; held for the asker when it asked for that. */
const ownerAnswer = union('answer about a content', {
  foreign: {},
  unknown: {},
  taken: {},
  known: { capture: firstCapture },
})
export type OwnerAnswer = Out<typeof ownerAnswer>
export const ownerAnswers = new Times(ownerAnswer)
