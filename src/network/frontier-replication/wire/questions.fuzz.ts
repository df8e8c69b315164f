import assert from 'node:assert/strict'
import fc from 'fast-check'
import { counterMax } from '../../../formats/wire/message-bytes.ts'
import { plainRecord, refusedOrDone } from '../../../model/fixtures/fuzzing.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import type { LogPosition } from '../log-position.ts'
import {
  type Holding,
  type HoldingAnswer,
  holdingAnswers,
  type Question,
  recallAnswers,
  siteQuestion,
} from './questions.ts'
import {
  jobDefinitions,
  type Load,
  type SiteBatch,
  type SiteBatchAnswer,
  siteBatchAnswers,
  sitePiece,
} from './site-batch.ts'

const number = fc.integer({ min: 0, max: counterMax })
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString('hex'))
const site = hex(20).map((key) => key as RingKey)
const position: fc.Arbitrary<LogPosition> = plainRecord({ epoch: number, sequence: number })
const bytes = fc.uint8Array({ maxLength: 200 }).map((value) => Uint8Array.from(value))
const name = fc
  .uint8Array({ minLength: 1, maxLength: 60 })
  .map((value) => Buffer.from(value).toString('latin1'))
const entry = fc.tuple(name, fc.option(bytes, { nil: null }))
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const job = plainRecord({ id: hex(10), options: plainRecord({ scope: fc.string(), depth: fc.nat() }) })
const load: fc.Arbitrary<Load> = fc.oneof(
  plainRecord({ kind: fc.constant('changes' as const), after: position, upTo: position }),
  plainRecord({ kind: fc.constant('copy' as const), copy: number, index: number, upTo: maybe(position) }),
)
const siteBatch: fc.Arbitrary<SiteBatch> = plainRecord({
  site,
  epoch: number,
  since: number,
  established: number,
  load,
  entries: fc.array(entry),
})
const question: fc.Arbitrary<Question> = fc.oneof(
  plainRecord({
    kind: fc.constant('ship' as const),
    shipment: plainRecord({ jobs: fc.array(job), batches: fc.array(siteBatch) }),
  }),
  plainRecord({
    kind: fc.constant('recall' as const),
    sites: fc.array(plainRecord({ site, epoch: number })),
  }),
  plainRecord({ kind: fc.constant('fetch' as const), site, position, from: maybe(name) }),
  plainRecord({ kind: fc.constant('jobs' as const), ids: fc.array(hex(10)) }),
  plainRecord({ kind: fc.constant('holdings' as const), sites: fc.array(plainRecord({ site, position })) }),
)
const answer: fc.Arbitrary<SiteBatchAnswer> = fc.oneof(
  plainRecord({ kind: fc.constantFrom('taken' as const, 'behind' as const) }),
  plainRecord({ kind: fc.constant('superseded' as const), epoch: number }),
)
const holding: fc.Arbitrary<Holding> = plainRecord({ position: maybe(position), established: number })

export const properties = [
  {
    name: 'questions about sites come as they went',
    property: fc.property(question, (asked) =>
      assert.deepEqual(siteQuestion.decode(siteQuestion.encode(asked)), asked),
    ),
  },
  {
    name: 'text goes as its bytes',
    property: fc.property(site, name, bytes, (which, called, value) => {
      const text = Buffer.from(value).toString('latin1')
      const empty = { epoch: 0, sequence: 0 }
      const batches = [called, 'x'].map((entryName, index) => ({
        site: which,
        epoch: 1,
        since: 1,
        established: 0,
        load: { kind: 'changes', after: empty, upTo: empty } as const,
        entries: [[entryName, index === 0 ? text : value]] as const,
      }))
      const read = siteQuestion.decode(siteQuestion.encode({ kind: 'ship', shipment: { jobs: [], batches } }))
      assert(read.kind === 'ship')
      assert.deepEqual(
        read.shipment.batches.map(({ entries }) => entries[0]![1]),
        [value, value],
      )
    }),
  },
  {
    name: 'answers about sites come as they went',
    property: fc.property(
      fc.array(answer),
      fc.array(fc.oneof(holding, fc.constantFrom('superseded' as const, 'later' as const))),
      fc.array(
        fc.oneof(
          fc.constantFrom<HoldingAnswer>('keep', 'drop', 'coming'),
          fc.stringMatching(/^[!-~]{1,60}$/).map((peer) => ({ peer })),
        ),
      ),
      fc.array(job),
      (answers, holdings, kept, jobs) => {
        assert.deepEqual(siteBatchAnswers.decode(siteBatchAnswers.encode(answers), answers.length), answers)
        assert.deepEqual(recallAnswers.decode(recallAnswers.encode(holdings), holdings.length), holdings)
        assert.deepEqual(holdingAnswers.decode(holdingAnswers.encode(kept), kept.length), kept)
        assert.deepEqual(jobDefinitions.decode(jobDefinitions.encode(jobs)), jobs)
      },
    ),
  },
  {
    name: 'pieces of a site come as they went',
    property: fc.property(fc.array(fc.tuple(name, bytes)), maybe(name), (entries, next) =>
      assert.deepEqual(sitePiece.decode(sitePiece.encode({ entries, next })), { entries, next }),
    ),
  },
  {
    name: 'whatever bytes come about sites, they are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(5), (given, kind) => {
      for (const one of [given, Buffer.concat([Uint8Array.of(kind), given])]) {
        refusedOrDone(() => siteQuestion.decode(one))
        refusedOrDone(() => siteBatchAnswers.decode(one, 3))
        refusedOrDone(() => recallAnswers.decode(one, 3))
        refusedOrDone(() => holdingAnswers.decode(one, 3))
        refusedOrDone(() => sitePiece.decode(one))
        refusedOrDone(() => jobDefinitions.decode(one))
      }
    }),
  },
]
