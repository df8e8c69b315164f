// What a volunteer gives back of a bundle: records of what came for each URL, all of one message in one zstd frame, so that pages
// of a site that resemble each other cost little.
//
// Whatever a message says, unpacking it takes bounded memory: a frame that says more, or nothing, of its size is refused.

import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import { bytes, choice, counter, fixed, number, printable, text } from '../../formats/wire/message-fields.ts'
import { list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'
import { signatureBytes } from '../../proof/ed25519.ts'
import { givenBytesMax, givenBytesMaxUnpacked, urlsMax } from './volunteer-messages.ts'

export const bodyBytesMax = 8 * 1024 * 1024
const headBytesMax = 160 * 1024
const requestBytesMax = 64 * 1024
const level = 6
/** Signatures have six bytes for it. */
const signedAtMsMax = 2 ** 48 - 1

const failureCodes = [
  'dns-not-found',
  'dns-failed',
  'address-forbidden',
  'connect-refused',
  'connect-failed',
  'connect-timeout',
  'tls-failed',
  'head-too-large',
  'malformed-http',
  'stalled',
  'timeout',
  'reset',
  'bad-location',
  'other',
] as const
export type GivenFailureCode = (typeof failureCodes)[number]

const givenSchema = union('answer of a volunteer', {
  response: {
    index: number(urlsMax),
    capturedAtMs: counter,
    responseMs: number(86_400_000),
    /** What opening the connection took; not said of one that was open. */
    connectMs: optional(number(86_400_000)),
    /** As the archive keeps it: see response-block.ts. */
    head: bytes(headBytesMax),
    body: bytes(bodyBytesMax),
    request: bytes(requestBytesMax),
    address: printable(64),
    protocols: list(printable(32), 4),
    certificate: optional(printable(64)),
    truncated: optional(choice(['length', 'time', 'disconnect', 'unspecified'])),
    tlsProblem: optional(printable(500)),
    signature: printable(600),
  },
  failure: {
    index: number(urlsMax),
    code: choice(failureCodes),
    reason: text(500),
    retry: choice(['never', 'later']),
    address: optional(printable(64)),
  },
  /** Not asked for: the host asked to be left alone, time was over, it is too large, or its owner does not want it. */
  untried: {
    index: number(urlsMax),
    why: choice(['time', 'pause', 'too-large', 'robots', 'address', 'stopped']),
  },
  /** One signature for all responses of this message, which have none of their own: see sealed-answers.ts. */
  seal: { signedAtMs: number(signedAtMsMax), signature: fixed(signatureBytes) },
})
/** As it is sent. */
export type WireAnswer = Out<typeof givenSchema>
export type GivenAnswer = Exclude<WireAnswer, { kind: 'seal' }>
export type GivenResponse = Extract<GivenAnswer, { kind: 'response' }>

const givenList = record({ answers: list(givenSchema, urlsMax + 1) })

export function failureCodeOf(code: string): GivenFailureCode {
  return (failureCodes as readonly string[]).includes(code) ? (code as GivenFailureCode) : 'other'
}

/** undefined when it is too large for a message. */
export function packAnswers(answers: readonly WireAnswer[]): Uint8Array | undefined {
  const whole = givenList.encode({ answers: [...answers] })
  if (whole.length > givenBytesMaxUnpacked) return undefined
  const { constants, zstdCompressSync } = zlib()
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 }
  const packed = zstdCompressSync(whole, { params, pledgedSrcSize: whole.length } as never)
  return packed.length > givenBytesMax ? undefined : packed
}

/** Throws MessageMalformed. */
export function unpackAnswers(packed: Uint8Array): readonly WireAnswer[] {
  let whole: Uint8Array
  try {
    whole = zlib().zstdDecompressSync(packed, { maxOutputLength: givenBytesMaxUnpacked })
  } catch {
    throw new MessageMalformed('what was given cannot be unpacked')
  }
  return givenList.decode(whole).answers
}

/** Loaded with the first answers: a volunteer that idles does without. */
function zlib(): typeof import('node:zlib') {
  return process.getBuiltinModule('node:zlib')
}
