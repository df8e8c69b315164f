// `/api/v1/watches`: what its owner wants to be told of, and what was seen of it. For the owner alone, also to read: what somebody watches
// is nobody else's business.

import { watchTitle } from '../../../changes/watches/page-watch.ts'
import { historyMax, type WatchGap } from '../../../changes/watches/watch-book.ts'
import { stateTrouble } from '../../../changes/watches/watch-words.ts'
import type { WatchService, WatchTrial, WatchView } from '../../../changes/watches/watches.ts'
import { type WrittenWatch, writeWatch } from '../../../changes/watches/written-watch.ts'
import { sightingJson } from '../../../changes/webhooks/watch-message.ts'
import { jsonAnswer } from '../../answers.ts'
import { ApiError, badParameter } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import type { RouteRequest } from '../../route-request.ts'
import { object, parameter } from '../operation.ts'

const limitDefault = 100
const limitMax = 1_000
const text = (description: string) => ({ type: 'string', description })
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description })
const settings = {
  url: text('Watch this page,'),
  prefix: text('the pages whose addresses begin like this,'),
  site: text('or a site.'),
  name: text('What lists and feeds call it.'),
  selector: text('Only what this CSS selector selects.'),
  mainText: { type: 'boolean', description: 'Only the main text of the page.' },
  ignore: texts('CSS selectors of what is left out.'),
  ignorePatterns: texts('Regular expressions (RE2): what matches within a line is left out.'),
  leastChange: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'The least share of words that differ.',
  },
  cosmetic: { type: 'boolean', description: 'Also of parts that differ at every visit.' },
  every: text('Visit it at least this often, such as 6h; as often as it changes unless told.'),
  browser: {
    type: 'string',
    enum: ['auto', 'always', 'never'],
    description: 'Whether it is shown in a browser.',
  },
}
const bodySchema = { type: 'object', properties: settings }
const sightingSchema = object({
  event: { type: 'string' },
  kind: { type: 'string' },
  url: { type: 'string' },
  time: { type: 'string', format: 'date-time' },
  words: text('What happened, in a sentence.'),
  part: { type: 'string', enum: ['found', 'missing', 'unread'] },
  wordShare: { type: ['number', 'null'] },
  difference: texts('The first of what changed: "- gone", "+ come", "~ [-old-]{+new+}".'),
  moreDifferences: { type: 'integer' },
  version: { type: ['string', 'null'] },
  compare: { type: ['string', 'null'] },
})
const watchSchema = object({
  id: { type: 'string' },
  title: { type: 'string' },
  ...settings,
  paused: { type: 'boolean' },
  created: { type: 'string', format: 'date-time' },
  page: text('Where people look at it.'),
  feed: text('Its Atom feed. Whoever has this address can read it.'),
  trouble: {
    type: ['string', 'null'],
    description: 'What its owner should know: a selector that selects nothing, a page that is gone.',
  },
  part: { type: 'string', enum: ['unknown', 'found', 'missing', 'unread'] },
  told: { type: 'integer', description: 'Changes that were told since it was made.' },
  archiving: {
    type: ['string', 'null'],
    description: 'The job that fetches its page for the first time; "wanted" before there is one.',
  },
  history: { type: 'array', items: sightingSchema, description: 'The newest first.' },
})
const trialSchema = object({
  url: { type: 'string' },
  capturedAt: { type: 'string', format: 'date-time' },
  found: { type: 'boolean' },
  lines: texts('The first lines of what is watched.'),
  lineCount: { type: 'integer' },
})

interface Needs {
  readonly watches: WatchService
  /** Where this archive is read. */
  readonly origin: string
}

export function watchRoutes({ watches, origin }: Needs): Route[] {
  const path = '/api/v1/watches'
  const shared = { host: 'archive', writes: true } as const
  const id = ({ parameters }: RouteRequest): string => parameters.id!
  const one = (view: WatchView, status = 200) => jsonAnswer(watchJson(view, origin), status)
  const pausing = (word: 'pause' | 'resume', summary: string): Route => ({
    ...shared,
    methods: ['POST'],
    path: `${path}/{id}/${word}`,
    operation: { summary, answer: watchSchema },
    handle: async (request) => one(await watches.setPaused(id(request), word === 'pause')),
  })
  return [
    {
      ...shared,
      methods: ['GET'],
      path,
      operation: {
        summary:
          'The watches of this peer, newest first, each with the last thing that it saw. For its owner alone',
        query: [
          parameter('limit', `at most so many, up to ${limitMax}`, { type: 'integer' }),
          parameter('offset', 'behind so many', { type: 'integer' }),
          parameter('history', `so many of what each saw, up to ${historyMax}; 1 unless told`, {
            type: 'integer',
          }),
        ],
        answer: object({ watches: { type: 'array', items: watchSchema }, count: { type: 'integer' } }),
      },
      handle: async ({ query }) => {
        const limit = numberOf(query, 'limit', limitDefault, limitMax)
        const offset = numberOf(query, 'offset', 0, Number.MAX_SAFE_INTEGER)
        const views = watches.list({ limit, offset, historyMax: numberOf(query, 'history', 1, historyMax) })
        return jsonAnswer(watchListJson(views, watches.count, watches.gap, origin))
      },
    },
    {
      ...shared,
      methods: ['POST'],
      path,
      isForExtension: true,
      operation: {
        summary:
          'Watches a page, the pages below an address, or a site; archives the page first where it is not in the archive',
        body: bodySchema,
        answer: watchSchema,
        status: 201,
      },
      handle: async (request) => {
        const written = await request.jsonObject<WrittenWatch>('{"url": …}')
        // The key of an extension is for the page that is open, as its owner sees it.
        if (!request.isOwner && Object.keys(written).some((name) => name !== 'url'))
          throw new ApiError('key-not-enough', 'The key of a browser extension may watch single pages only.')
        return one(await watches.add(written), 201)
      },
    },
    {
      ...shared,
      methods: ['POST'],
      path: '/api/v1/watch-trials',
      operation: {
        summary: 'What a watch would select on the newest version of its page in the archive',
        body: { type: 'object', properties: { ...settings, page: text('Try it on this page instead.') } },
        answer: trialSchema,
      },
      handle: async (request) => {
        const { page, ...written } = (await request.jsonObject<WrittenWatch>(
          '{"url": …}',
        )) as WrittenWatch & { page?: unknown }
        if (page !== undefined && typeof page !== 'string')
          throw badParameter('page', String(page), 'an address')
        return jsonAnswer(trialJson(await watches.trial(written, page)))
      },
    },
    {
      ...shared,
      methods: ['GET'],
      path: `${path}/{id}`,
      operation: { summary: 'A watch, with what it saw', answer: watchSchema },
      handle: async (request) => one(watches.find(id(request))),
    },
    {
      ...shared,
      methods: ['PATCH'],
      path: `${path}/{id}`,
      operation: {
        summary: 'Changes what is named of a watch; null takes a setting out',
        body: bodySchema,
        answer: watchSchema,
      },
      handle: async (request) =>
        one(await watches.change(id(request), await request.jsonObject<WrittenWatch>('{"url": …}'))),
    },
    pausing('pause', 'Tells nobody of it for now'),
    pausing('resume', 'Goes on with it, from now on'),
    {
      ...shared,
      methods: ['DELETE'],
      path: `${path}/{id}`,
      operation: {
        summary: 'Removes a watch with all that it saw. What is archived stays',
        answer: object({ removed: { type: 'boolean' } }),
      },
      handle: async (request) => {
        await watches.remove(id(request))
        return jsonAnswer({ removed: true })
      },
    },
  ]
}

export function watchListJson(
  views: readonly WatchView[],
  count: number,
  gap: WatchGap | undefined,
  origin: string,
): object {
  return {
    watches: views.map((view) => watchJson(view, origin)),
    count,
    ...(gap && {
      missed: { from: new Date(gap.fromMs).toISOString(), to: new Date(gap.toMs).toISOString() },
    }),
  }
}

/** `origin`: '' without a running peer, which would know it. */
export function watchJson({ watch, state, history, visitTrouble }: WatchView, origin: string): object {
  const { id, isPaused, createdAtMs, feedKey } = watch
  return {
    id,
    title: watchTitle(watch),
    ...writeWatch(watch),
    paused: isPaused,
    created: new Date(createdAtMs).toISOString(),
    page: `${origin}/watches/${id}`,
    feed: `${origin}/feeds/watch/${feedKey}`,
    trouble: stateTrouble(watch, state) ?? visitTrouble ?? null,
    part: state.part,
    told: state.toldCount,
    archiving: state.archiving === 'none' ? null : (state.job ?? 'wanted'),
    history: history.map((sighting) => sightingJson(sighting, origin)),
  }
}

export function trialJson({ capturedAtMs, isFound, ...trial }: WatchTrial): object {
  return { ...trial, capturedAt: new Date(capturedAtMs).toISOString(), found: isFound }
}

export function numberOf(query: URLSearchParams, name: string, usual: number, max: number): number {
  const written = query.get(name)
  if (written === null || written === '') return usual
  const number = Number(written)
  if (!Number.isInteger(number) || number < 0) throw badParameter(name, written, 'a number')
  return Math.min(max, number)
}
