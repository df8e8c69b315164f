import assert from 'node:assert/strict'
import fc from 'fast-check'
import { counterMax } from '../../../formats/wire/message-bytes.ts'
import { messagePiece } from '../../../formats/wire/message-piece.ts'
import { captureKinds } from '../../../model/capture-json.ts'
import { plainRecord, refusedOrDone } from '../../../model/fixtures/fuzzing.ts'
import { ringKeyFromBytes } from '../../../model/ring-key.ts'
import type { NetworkCapture, ViewSelection } from '../view.ts'
import { captureList, openedPayload, type ReadRequest, readRequest } from './questions.ts'
import { siteNames } from './site-names.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 200 })
const time = fc.integer({ min: Date.UTC(0, 0), max: Date.UTC(9999, 0) })
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const bytes = fc.uint8Array({ maxLength: 500 })
const digest = fc.uint8Array({ minLength: 32, maxLength: 32 })

const ringKey = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(ringKeyFromBytes)

const selection: fc.Arbitrary<ViewSelection> = fc.oneof(
  plainRecord({ kind: fc.constantFrom('url' as const, 'prefix' as const), url: text }),
  plainRecord({ kind: fc.constant('host' as const), host: text }),
  plainRecord({ kind: fc.constant('site' as const), site: text }),
  plainRecord({
    kind: fc.constant('arc' as const),
    from: ringKey,
    upTo: ringKey,
    domain: maybe(fc.stringMatching(/^[a-z.]{1,60}$/)),
  }),
)
const options = plainRecord({
  limit: fc.nat(1_000),
  reverse: fc.boolean(),
  after: maybe(fc.stringMatching(/^[\w-]{1,60}$/)),
  fromMs: maybe(time),
  toMs: maybe(time),
})
const question: fc.Arbitrary<ReadRequest> = fc.oneof(
  plainRecord({ kind: fc.constant('list' as const), selection, options }),
  plainRecord({ kind: fc.constant('open' as const), cursor: text }),
  plainRecord({ kind: fc.constant('records' as const), cursor: text, isWhole: fc.boolean() }),
  plainRecord({
    kind: fc.constant('piece' as const),
    session: fc.integer({ min: 0, max: counterMax }),
    number: fc.integer({ min: 0, max: counterMax }),
  }),
)
const capture: fc.Arbitrary<NetworkCapture> = plainRecord({
  url: text,
  surt: text,
  capturedAtMs: time,
  status: fc.nat(999),
  mime: text,
  kind: fc.constantFrom(...captureKinds),
  content: maybe(
    plainRecord({
      digest: digest.map((given) => ({ algorithm: 'sha256' as const, bytes: given })),
      overflow: fc.nat(65_535),
    }),
  ),
  payloadBytes: fc.integer({ min: 0, max: counterMax }),
  storedBytes: fc.integer({ min: 0, max: counterMax }),
  recordId: fc.uuid(),
  importedBy: maybe(fc.string({ maxLength: 30 })),
  isLater: fc.boolean(),
  isImportedRevisit: fc.boolean(),
  heardAtMs: maybe(fc.nat(2 ** 30).map((minutes) => minutes * 60_000)),
  cursor: text,
})

export const properties = [
  {
    name: 'questions to a view come as they went',
    property: fc.property(question, (asked) =>
      assert.deepEqual(readRequest.decode(readRequest.encode(asked)), asked),
    ),
  },
  {
    name: 'lists of captures come as they went',
    property: fc.property(
      plainRecord({ captures: fc.array(capture), isCut: fc.boolean(), isComplete: fc.boolean() }),
      (list) => assert.deepEqual(captureList.decode(captureList.encode(list)), list),
    ),
  },
  {
    name: 'names of sites come as they went',
    property: fc.property(plainRecord({ names: fc.array(fc.domain()), isMore: fc.boolean() }), (list) =>
      assert.deepEqual(siteNames.decode(siteNames.encode(list)), list),
    ),
  },
  {
    name: 'payloads come as they went',
    property: fc.property(maybe(bytes), bytes, fc.integer({ min: 1 }), (head, piece, session) => {
      const opened = openedPayload.decode(
        openedPayload.encode({ head, sizeBytes: piece.length, piece, session }),
      )
      assert.equal(opened.session, session)
      assert.deepEqual(opened.head && Buffer.from(opened.head), head && Buffer.from(head))
      assert.deepEqual(Buffer.from(opened.piece), Buffer.from(piece))
      assert.deepEqual(
        Buffer.from(messagePiece.decode(messagePiece.encode({ bytes: piece, isLast: true })).bytes),
        Buffer.from(piece),
      )
    }),
  },
  {
    name: 'whatever bytes come to a reader, they are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(3), (given, kind) => {
      for (const message of [readRequest, captureList, openedPayload, messagePiece, siteNames]) {
        refusedOrDone(() => message.decode(given))
        refusedOrDone(() => message.decode(Buffer.concat([Uint8Array.of(kind), given])))
      }
    }),
  },
]
