// Watches on pages: shown to and changed by the owner alone; feeds for everybody.

import type { WatchTarget } from '../../changes/watches/page-watch.ts'
import { PolyhistorError } from '../../errors.ts'
import { urlFromTyped } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { PageOwner, PageWatching } from '../archive.ts'
import { lastWord, type PageRequest, type PageRoute, pageAnswer, queryOf, redirectAnswer } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { watchPath } from '../markup/links.ts'
import { PageError } from '../page-error.ts'
import { feedsScreen } from '../screens/changes/feeds.ts'
import { type TypedWatch, typedOf, type WatchFormData, writtenOf } from '../screens/changes/watch-form.ts'
import { settingsOf, watchesClosed, watchesScreen, watchScreen } from '../screens/changes/watches.ts'

interface Needs {
  readonly watching?: PageWatching | undefined
  readonly owner: PageOwner
  readonly layout: Layout
  /** Of the wall's clock. */
  readonly nowMs: () => number
}

const perPage = 50
const historyInList = 100
const charsMax = 8_000
const fieldsOf = [
  'of',
  'kind',
  'part',
  'selector',
  'name',
  'every',
  'leastChange',
  'browser',
  'ignore',
  'ignorePatterns',
  'cosmetic',
]

export function watchesRoutes(needs: Needs): PageRoute[] {
  const shared = { host: 'archive', isPage: true } as const
  const list = { ...shared, path: /^\/watches$/ }
  const one = { ...shared, path: /^\/watches\/[^/]+$/ }
  return [
    { ...list, methods: ['GET'], handle: (request) => showList(needs, request, offered(request)) },
    { ...list, methods: ['POST'], writes: true, handle: (request) => add(needs, request) },
    { ...one, methods: ['GET'], handle: (request) => showOne(needs, request) },
    { ...one, methods: ['POST'], writes: true, handle: (request) => change(needs, request) },
    { ...shared, methods: ['GET'], path: /^\/feeds$/, handle: (request) => feeds(needs, request) },
  ]
}

/** "Watch this page" leads here with its address. */
function offered(request: PageRequest): WatchFormData {
  const query = new URLSearchParams(queryOf(request.target))
  return { typed: { of: (query.get('url') ?? '').slice(0, charsMax) } }
}

async function showList(needs: Needs, request: PageRequest, form: WatchFormData): Promise<HttpAnswer> {
  const { watching, owner, layout } = needs
  if (watching === undefined || !owner.isOwner(request))
    return pageAnswer(request, 200, layout.page(watchesClosed))
  const { watches } = watching
  const page = Math.max(1, Math.floor(Number(new URLSearchParams(queryOf(request.target)).get('page')) || 1))
  const screen = watchesScreen({
    views: watches.list({ offset: (page - 1) * perPage, limit: perPage, historyMax: historyInList }),
    count: watches.count,
    ...{ page, perPage, form },
    gap: watches.gap,
    nowMs: needs.nowMs(),
  })
  return pageAnswer(request, form.mistake === undefined ? 200 : 400, layout.page(screen))
}

async function add(needs: Needs, request: PageRequest): Promise<HttpAnswer> {
  const form = new URLSearchParams(await request.text())
  const said = typedIn(form)
  // Who writes a selector means it.
  const typed = said.selector && said.part === 'page' ? { ...said, part: 'selector' } : said
  const watching = watchingOf(needs)
  return tried(
    async () => {
      if (form.get('action') === 'try')
        return showList(needs, request, { typed, trial: await watching.watches.trial(writtenOf(typed)) })
      const { watch } = await watching.watches.add(writtenOf(typed))
      return redirectAnswer(watchPath(watch.id), 303)
    },
    (mistake) => showList(needs, request, { typed, mistake }),
  )
}

async function showOne(needs: Needs, request: PageRequest, form?: WatchFormData): Promise<HttpAnswer> {
  const { watching, owner, layout } = needs
  if (watching === undefined || !owner.isOwner(request))
    return pageAnswer(request, 200, layout.page(watchesClosed))
  const view = watching.watches.find(lastWord(request.target))
  const screen = watchScreen(view, form ?? { typed: typedOf(settingsOf(view)) }, needs.nowMs())
  return pageAnswer(request, form?.mistake === undefined ? 200 : 400, layout.page(screen))
}

async function change(needs: Needs, request: PageRequest): Promise<HttpAnswer> {
  const form = new URLSearchParams(await request.text())
  const typed = typedIn(form)
  const { watches } = watchingOf(needs)
  const { id } = watches.find(lastWord(request.target)).watch
  const action = form.get('action')
  switch (action) {
    case 'pause':
    case 'resume':
      await watches.setPaused(id, action === 'pause')
      return redirectAnswer(watchPath(id), 303)
    case 'remove':
      await watches.remove(id)
      return redirectAnswer('/watches', 303)
    case 'try':
    case 'change':
      return tried(
        async () => {
          if (action === 'try')
            return showOne(needs, request, { typed, trial: await watches.trial(writtenOf(typed)) })
          await watches.change(id, {
            url: null,
            prefix: null,
            site: null,
            selector: null,
            ...writtenOf(typed),
          })
          return redirectAnswer(watchPath(id), 303)
        },
        (mistake) => showOne(needs, request, { typed, mistake }),
      )
    default:
      throw new PageError('request-malformed')
  }
}

async function feeds({ watching, layout }: Needs, request: PageRequest): Promise<HttpAnswer> {
  const query = new URLSearchParams(queryOf(request.target))
  return tried(
    async () => {
      const target = feedTarget(query)
      const sightings = target === undefined ? [] : ((await watching?.feeds.recent(target)) ?? [])
      return pageAnswer(request, 200, layout.page(feedsScreen({ target, sightings })))
    },
    async (mistake) =>
      pageAnswer(request, 400, layout.page(feedsScreen({ target: undefined, sightings: [], mistake }))),
  )
}

/** From the form, or from a link. */
function feedTarget(query: URLSearchParams): WatchTarget | undefined {
  const kinds = ['url', 'prefix', 'site'] as const
  const kind = kinds.find((name) => name === query.get('kind') || query.get(name)) ?? 'url'
  const typed = query.get(kind) || query.get('of')
  if (!typed) return undefined
  const url = urlFromTyped(typed)
  return kind === 'site' ? { kind, site: url.site } : { kind, url: url.href }
}

async function tried(
  work: () => Promise<HttpAnswer>,
  told: (mistake: string) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return told(error.message)
  }
}

function typedIn(form: URLSearchParams): TypedWatch {
  return Object.fromEntries(fieldsOf.map((name) => [name, (form.get(name) ?? '').slice(0, charsMax)]))
}

function watchingOf({ watching }: Needs): PageWatching {
  if (watching === undefined) throw new PageError('request-malformed')
  return watching
}
