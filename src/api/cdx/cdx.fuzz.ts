// What must hold of every CDX query, and of every result that is read in parts.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { PolyhistorError } from '../../errors.ts'
import type { ArchivedCapture, CaptureIndex } from '../../model/archive.ts'
import { digestOf } from '../../model/digest.ts'
import { RealClock } from '../../platform/real/clock.ts'
import { TestApi } from '../fixtures/test-api.ts'
import { MementoLinks } from '../memento/memento-links.ts'
import { parseCdxQuery } from './cdx-query.ts'
import { CdxServer } from './cdx-server.ts'

const names = (
  'url matchType from to limit offset sort closest filter collapse collapseTime fl fields output page pageSize ' +
  'showNumPages showPagedIndex showResumeKey resumeKey fastLatest resolveRevisits showDupeCount showSkipCount ' +
  'lastSkipTimestamp gzip'
).split(' ')
const values = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'a.test/*',
    '*.a.test',
    'true',
    '-1',
    '0',
    '2020',
    'digest',
    'timestamp:4',
    'original:.*',
    '~url:(a',
  ),
  fc.integer().map(String),
)

/** Little variety, so that neighbours are alike. */
const captureKinds = fc.array(
  fc.record({
    page: fc.nat(2),
    status: fc.constantFrom(200, 404),
    content: fc.nat(2),
    kind: fc.constantFrom('full', 'same'),
  }),
  { maxLength: 25 },
)

interface Kind {
  page: number
  status: number
  content: number
  kind: string
}

const contents = ['a', 'b', 'c'].map((text) => ({ digest: digestOf('sha256', text), overflow: 0 }))

function archiveOf(kinds: readonly Kind[]): CaptureIndex {
  const captures = kinds
    .toSorted((left, right) => left.page - right.page)
    .map(
      ({ page, status, content, kind }, index): ArchivedCapture => ({
        url: `http://a.test/${page}`,
        surt: `test,a)/${page}`,
        capturedAtMs: index * 1_000,
        status,
        mime: 'text/html',
        kind: kind as 'full',
        content: contents[content],
        payloadBytes: 1,
        storedBytes: 1,
        recordId: '',
        cursor: String(index).padStart(40, '0'),
      }),
    )
  return {
    *scan(_selection, { after, limit = Number.POSITIVE_INFINITY } = {}) {
      const start = after === undefined ? 0 : Number(after) + 1
      yield* captures.slice(start, start + limit)
    },
    versions: () => [],
    nearest: () => undefined,
    isTakenDown: () => false,
  }
}

function apiOf(kinds: readonly Kind[]): TestApi {
  const links = new MementoLinks('http://localhost:7070')
  const needs = { archive: archiveOf(kinds), clock: new RealClock(), links }
  return new TestApi(new CdxServer(needs).routes())
}

const queries = [
  '',
  '&collapse=digest',
  '&collapse=urlkey',
  '&filter=statuscode:200',
  '&collapse=statuscode&filter=!digest:sha256:ca.*',
  '&collapse=digest&showSkipCount=true&lastSkipTimestamp=true',
  '&filter=statuscode:404&showSkipCount=true',
  '&offset=2',
]

export const properties = [
  {
    name: 'a CDX query is understood, or refused with a sentence',
    property: fc.property(
      fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 8 }),
      fc.constantFrom('wayback', 'pywb'),
      (pairs, dialect) => {
        try {
          const query = parseCdxQuery(dialect as 'pywb', new URLSearchParams([['url', 'a.test'], ...pairs]))
          assert.ok(query.fields.length > 0)
        } catch (error) {
          assert.ok(error instanceof PolyhistorError, String(error))
          assert.ok(error.message.length > 10)
        }
      },
    ),
  },
  {
    name: 'what is read with resume keys is what is read at once',
    property: fc.asyncProperty(
      captureKinds,
      fc.constantFrom(...queries),
      fc.integer({ min: 1, max: 5 }),
      async (kinds, more, limit) => {
        const api = apiOf(kinds)
        const base = '/cdx/search/cdx?url=a.test/*'
        const whole = (await api.ask(`${base}${more}`)).text
        let parts = ''
        let key = ''
        for (let round = 0; ; round++) {
          assert.ok(round <= kinds.length + 1)
          // Lines passed over at the start were passed over by the first part.
          const rest = round === 0 ? more : more.replace('&offset=2', '')
          const { text } = await api.ask(`${base}${rest}&limit=${limit}&showResumeKey=true&resumeKey=${key}`)
          const [rows = '', next] = text.startsWith('\n') ? ['', text.slice(1)] : text.split('\n\n')
          parts += rows === '' || rows.endsWith('\n') ? rows : `${rows}\n`
          if (next === undefined) break
          key = next.trim()
        }
        assert.equal(parts, whole)
      },
    ),
  },
  {
    name: 'the last lines are the end of all lines, and the other way round they are reversed',
    property: fc.asyncProperty(
      captureKinds,
      fc.constantFrom(...queries.slice(0, 6)),
      fc.integer({ min: 1, max: 9 }),
      async (kinds, more, limit) => {
        const api = apiOf(kinds)
        const lines = async (query: string) =>
          (await api.ask(`/cdx/search/cdx?url=a.test/*${more}${query}`)).text
            .split('\n')
            .filter((line) => line !== '')
        const all = await lines('')
        assert.deepEqual(await lines(`&limit=-${limit}`), all.slice(-limit))
        assert.deepEqual(await lines(`&limit=${limit}&sort=reverse`), all.slice(-limit).reverse())
      },
    ),
  },
]
