// Sealed answers: one signature for all responses of a message, in place of one with its path through the tree for each.
//
// Who gets them knows what was signed: it computes the tree itself, and with it the same texts that the volunteer would have sent. Nothing
// is believed by that: each text is verified as if it had come (answer-check.ts). A message that was split has no seal, since its
// parts are not the whole tree.

import { parseHttpHead } from '../../formats/http/http-message.ts'
import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import { parseUrl } from '../../model/url/url.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { parseSignature, signatureFields, signedTogetherMax } from '../../proof/capture-signature.ts'
import { publicKeyOfPeer } from '../membership/peer-key.ts'
import { signedFacts } from './answer-check.ts'
import type { GivenAnswer, GivenResponse, WireAnswer } from './given-answers.ts'

/** The same with a seal; undefined where the responses were not signed together, all of them and in this order. */
export function sealed(answers: readonly GivenAnswer[]): WireAnswer[] | undefined {
  const responses = answers.filter((answer) => answer.kind === 'response')
  const signatures = responses.map(({ signature }) => parseSignature(signature))
  const [first] = signatures
  if (first === undefined) return undefined
  const isWhole = signatures.every(
    (one, index) =>
      one?.index === index &&
      one.count === responses.length &&
      !one.isImported &&
      one.signedAtMs === first.signedAtMs &&
      Buffer.from(one.signature).equals(first.signature),
  )
  if (!isWhole) return undefined
  const bare = answers.map((answer) => (answer.kind === 'response' ? { ...answer, signature: '' } : answer))
  return [...bare, { kind: 'seal', signedAtMs: first.signedAtMs, signature: first.signature }]
}

/** `hrefs`: of the bundle. Throws MessageMalformed where the seal can be of nothing. */
export function unsealed(
  answers: readonly WireAnswer[],
  { peer, hrefs }: { readonly peer: PeerId; readonly hrefs: readonly string[] },
): GivenAnswer[] {
  const given = answers.filter((answer) => answer.kind !== 'seal')
  const seals = answers.filter((answer) => answer.kind === 'seal')
  const [seal] = seals
  if (seal === undefined) return given
  const responses = given.filter((answer) => answer.kind === 'response')
  const key = publicKeyOfPeer(peer)
  const isFit = responses.length > 0 && responses.length <= signedTogetherMax
  if (seals.length > 1 || key === undefined || !isFit) throw new MessageMalformed('a seal that is of nothing')
  const captures = responses.map((response) => ({ facts: factsOf(response, hrefs), isImported: false }))
  const fields = signatureFields(key, captures, seal.signedAtMs, () => seal.signature)
  const fieldOf = new Map(responses.map((response, index) => [response, fields[index]!.field]))
  return given.map((answer) =>
    answer.kind === 'response' ? { ...answer, signature: fieldOf.get(answer)! } : answer,
  )
}

function factsOf(response: GivenResponse, hrefs: readonly string[]) {
  const { index, head, body, capturedAtMs, address, certificate, truncated, request, protocols } = response
  const href = hrefs[index]
  if (href === undefined || parseHttpHead(head)?.length !== head.length)
    throw new MessageMalformed('a sealed answer that is none')
  return signedFacts({
    ...{ url: parseUrl(href), capturedAtMs, block: Buffer.concat([head, body]), request, metadata: [] },
    ...{ ipAddress: address, protocols, certificate, truncated },
  })
}
