// The archive's own pages: home, crawls, status, a site's list; and the two forms, to read and to archive.

import { PolyhistorError } from '../../errors.ts'
import { firstOf } from '../../record/listed.ts'
import type { NetworkStatus } from '../../record/peer-status.ts'
import { parseUrl, tryParseUrl, type Url, urlFromTyped } from '../../record/url.ts'
import type { HttpAnswer } from '../../world/http-server.ts'
import { archivedUrl } from '../address.ts'
import {
  type ArchiveWish,
  type PageArchive,
  type PageJob,
  type PageJobs,
  type PageOwner,
  wishScopes,
} from '../archive.ts'
import { html } from '../html.ts'
import { type PageRequest, type PageRoute, pageAnswer, redirectAnswer } from '../http.ts'
import type { Layout, Screen } from '../layout.ts'
import { calendarPath, downloadPath, jobPath, prefixPath, sitePath, versionPath } from '../links.ts'
import { PageError } from '../page-error.ts'
import { homeScreen } from '../screens/home.ts'
import { jobScreen, jobsScreen, seedsShownMax } from '../screens/jobs.ts'
import { statusScreen } from '../screens/status.ts'
import { urlListScreen } from '../screens/url-list.ts'
import { urlListOf } from '../url-list.ts'

interface Needs {
  readonly archive: PageArchive
  readonly jobs: PageJobs
  readonly owner: PageOwner
  readonly layout: Layout
  readonly breathe: () => Promise<void>
  readonly networkStatus?: (() => Promise<NetworkStatus>) | undefined
}

const recentMax = 8
const jobsMax = 50
const runningMax = 10

export function ownRoutes(needs: Needs): PageRoute[] {
  const { archive, jobs, layout, owner } = needs
  const page = (path: RegExp, screen: (request: PageRequest) => Screen | Promise<Screen>): PageRoute => ({
    methods: ['GET'],
    host: 'archive',
    path,
    isPage: true,
    handle: async (request) => pageAnswer(request, 200, layout.page(await screen(request))),
  })
  return [
    page(/^\/$/, async (request) =>
      homeScreen({
        totals: await archive.totals(),
        recent: await archive.recent(recentMax),
        isOwner: owner.isOwner(request),
      }),
    ),
    page(/^\/jobs$/, async (request) =>
      jobsScreen({
        jobs: await jobs.list(jobsMax),
        trouble: jobs.trouble(),
        isOwner: owner.isOwner(request),
      }),
    ),
    page(/^\/jobs\/[^/]+$/, (request) => job(needs, lastWord(request.target), owner.isOwner(request))),
    {
      methods: ['POST'],
      host: 'archive',
      path: /^\/jobs\/[^/]+$/,
      isPage: true,
      writes: true,
      handle: async (request) => control(needs, lastWord(request.target), await request.text()),
    },
    page(/^\/status$/, async () => {
      const running = (await jobs.list(jobsMax)).filter(({ state }) => state === 'running')
      return statusScreen({
        totals: await archive.totals(),
        running: running.slice(0, runningMax),
        trouble: jobs.trouble(),
        network: await needs.networkStatus?.(),
      })
    }),
    page(/^\/site\/[^/]+$/, ({ target }) => site(needs, target)),
    {
      methods: ['GET'],
      host: 'archive',
      path: /^\/go$/,
      isPage: true,
      handle: async (request) => go(needs, request),
    },
    {
      methods: ['POST'],
      host: 'archive',
      path: /^\/save$/,
      isPage: true,
      writes: true,
      handle: async (request) => save(needs, new URLSearchParams(await request.text())),
    },
  ]
}

/** Where an address of ours can lead. Never `//`, which would be another host. */
const ownPattern = /^\/(?:web|diff|site|jobs|status)(?:\/|$)/

/** What was typed: a URL, one with a star behind it, or an address of this archive pasted whole. */
async function go({ archive }: Needs, request: PageRequest): Promise<HttpAnswer> {
  const form = new URLSearchParams(queryOf(request.target))
  const typed = (form.get('url') ?? '').trim()
  if (typed.endsWith('*') && typed.length > 1)
    return redirectAnswer(prefixPath(archivedUrl(typed.slice(0, -1)).href))
  const url = urlFromTyped(typed)
  if (url.authority === request.header('host') && ownPattern.test(url.target))
    return redirectAnswer(url.target)
  if (form.has('all')) return redirectAnswer(calendarPath(url.href))
  const newest = await firstOf(archive.versions(url, { reverse: true, limit: 1 }))
  // Whatever there is to say of a URL without captures, the calendar says.
  return redirectAnswer(
    newest === undefined ? calendarPath(url.href) : versionPath(newest.capturedAtMs, newest.url),
  )
}

async function save({ jobs }: Needs, form: URLSearchParams): Promise<HttpAnswer> {
  const url = urlFromTyped(form.get('url') ?? '')
  const scope = wishScopes.find((known) => known === (form.get('scope') ?? 'page'))
  if (scope === undefined) {
    throw new PageError('request-malformed', `A page can be archived as ${wishScopes.join(', ')}.`)
  }
  const wish: ArchiveWish = { url, scope }
  return redirectAnswer(jobPath((await jobs.start(wish)).id), 303)
}

const actions = ['pause', 'resume', 'cancel'] as const

async function control({ jobs }: Needs, id: string, form: string): Promise<HttpAnswer> {
  const asked = new URLSearchParams(form).get('action')
  const action = actions.find((known) => known === asked)
  if ((await jobs.find(id)) === undefined) throw new PageError('job-unknown')
  if (action === undefined)
    throw new PageError('request-malformed', `A crawl can be told to ${actions.join(', ')}.`)
  await jobs[action](id)
  return redirectAnswer(jobPath(id), 303)
}

async function job({ archive, jobs }: Needs, id: string, isOwner: boolean): Promise<Screen> {
  const found: PageJob | undefined = await jobs.find(id)
  if (found === undefined) throw new PageError('job-unknown')
  const seeds = await Promise.all(
    found.seeds.slice(0, seedsShownMax).map(async (url) => ({ url, lastMs: await lastMsOf(archive, url) })),
  )
  return jobScreen({ job: found, seeds, trouble: jobs.trouble(), isOwner })
}

async function lastMsOf(archive: PageArchive, href: string): Promise<number | undefined> {
  const url = tryParseUrl(href)
  try {
    const newest = url && (await firstOf(archive.versions(url, { reverse: true, limit: 1 })))
    return newest?.capturedAtMs
  } catch (error) {
    // Another peer keeps it, and cannot be asked now: the job is shown all the same.
    if (error instanceof PolyhistorError) return undefined
    throw error
  }
}

async function site(needs: Needs, target: string): Promise<Screen> {
  const name = siteOfPath(target)
  const after = new URLSearchParams(queryOf(target)).get('after') ?? undefined
  const home = parseUrl(`http://${name}/`)
  if (needs.archive.isTakenDown(home)) throw new PageError('store-taken-down')
  const list = await urlListOf(needs, { kind: 'site', site: name }, {}, after)
  return urlListScreen({
    title: `Archived pages of ${name}`,
    eyebrow: 'Archived pages of',
    heading: html`<bdi>${name}</bdi>`,
    typed: name,
    list,
    path: sitePath(name),
    isFirstPage: after === undefined,
    tools: toolsOf(home),
  })
}

function toolsOf(home: Url) {
  return [
    html`<a href="${calendarPath(home.href)}">All versions of its home page</a>`,
    html`<a href="${downloadPath('site', home.site)}" download>Download all of it</a>`,
  ]
}

/** Whatever host stands there: pages are listed by site, so a host that is none has its site's. */
function siteOfPath(target: string): string {
  return urlFromTyped(lastWord(target)).site
}

function lastWord(target: string): string {
  const path = target.split('?', 1)[0]!
  const word = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}

function queryOf(target: string): string {
  const question = target.indexOf('?')
  return question === -1 ? '' : target.slice(question + 1)
}
