// Comparing, under /diff/: finds the two versions, has them compared, shows what came of it.

import type { LinkDifference } from '../../changes/page-change/difference/link-difference.ts'
import type { TextDifference } from '../../changes/page-change/difference/text-difference.ts'
import { firstOf } from '../../model/listed.ts'
import type { TimeSpan } from '../../model/timestamp.ts'
import type { Url } from '../../model/url/url.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import {
  type Comparing as Asked,
  archivedUrl,
  compareRoute as comparePattern,
  parseComparing,
} from '../address.ts'
import type { PageArchive, PageServer, PageTexts, ReadableDocument, Version } from '../archive.ts'
import { type AskedBy, type PageRoute, pageAnswer, queryOf, redirectAnswer } from '../http.ts'
import type { Layout } from '../markup/layout.ts'
import { comparePath } from '../markup/links.ts'
import { PageError } from '../page-error.ts'
import { type ComparedVersion, type CompareOutcome, compareScreen } from '../screens/versions/compare.ts'
import { compareTexts } from '../texts/compare.ts'
import { isChanged } from '../version-state.ts'

/** src/changes/page-change/difference, in another thread. */
export interface Comparing {
  run(work: {
    left: ReadableDocument & { url: string }
    right: ReadableDocument & { url: string }
  }): Promise<{
    titles: { left: string; right: string }
    text: TextDifference
    links: LinkDifference
    isCut: boolean
  }>
}

interface Needs {
  readonly archive: PageArchive
  readonly server: PageServer
  readonly layout: Layout
  readonly texts: PageTexts
  readonly comparing: Comparing
}

/** Comparing costs a second at worst and some memory: who comes while so many are under way is asked to wait. */
const underWayMax = 8

/** Two versions that were picked from a list, in whichever order. */
export const pickedRoute: PageRoute = {
  methods: ['GET'],
  host: 'archive',
  path: /^\/compare$/,
  isPage: true,
  handle: async ({ target }) => {
    const form = new URLSearchParams(queryOf(target))
    const [left, right] = [form.get('from') ?? '', form.get('to') ?? ''].sort()
    const url = archivedUrl(form.get('url') ?? '').href
    const { left: from, right: to } = parseComparing(`/diff/${left}/${right}/${url}`)
    return redirectAnswer(comparePath(from.fromMs, to.fromMs, url))
  },
}

export function compareRoute(needs: Needs): PageRoute {
  let underWay = 0
  return {
    methods: ['GET'],
    host: 'archive',
    path: comparePattern,
    isPage: true,
    handle: async (request) => {
      const asked = parseComparing(request.target)
      if (underWay === underWayMax) throw new PageError('too-many-comparisons')
      underWay++
      try {
        return await compared(needs, request, asked)
      } finally {
        underWay--
      }
    },
  }
}

async function compared(needs: Needs, request: AskedBy, { url, ...asked }: Asked): Promise<HttpAnswer> {
  const { archive, server, layout } = needs
  if (archive.isTakenDown(url)) throw new PageError('store-taken-down')
  const left = await versionOf(archive, url, asked.left)
  const right = await versionOf(archive, url, asked.right)
  if (left === undefined || right === undefined) throw new PageError('not-archived')
  const isExact = isSecond(asked.left, left) && isSecond(asked.right, right)
  if (!isExact) return redirectAnswer(comparePath(left.capturedAtMs, right.capturedAtMs, url.href))
  const outcome = await outcomeOf(needs, left, right)
  const screen = compareScreen({
    url,
    left: await withNeighbours(archive, url, left),
    right: await withNeighbours(archive, url, right),
    replayOrigin: server.replayOrigin,
    outcome,
  })
  return pageAnswer(request, 200, layout.page(screen), { framed: server.replayOrigin })
}

/** The last one within the time that was asked for, else the nearest to it. */
async function versionOf(archive: PageArchive, url: Url, span: TimeSpan): Promise<Version | undefined> {
  const within = await firstOf(archive.versions(url, { ...span, reverse: true, limit: 1 }))
  return within ?? archive.nearest(url, span.toMs - 1)
}

function isSecond({ fromMs, toMs }: TimeSpan, { capturedAtMs }: Version): boolean {
  return toMs - fromMs === 1_000 && capturedAtMs >= fromMs && capturedAtMs < toMs
}

async function withNeighbours(archive: PageArchive, url: Url, version: Version): Promise<ComparedVersion> {
  const { capturedAtMs } = version
  const previous = await firstOf(archive.versions(url, { toMs: capturedAtMs, reverse: true, limit: 1 }))
  const next = await firstOf(archive.versions(url, { fromMs: capturedAtMs + 1, limit: 1 }))
  return { version, previous, next }
}

async function outcomeOf(needs: Needs, left: Version, right: Version): Promise<CompareOutcome> {
  if (left.content !== undefined && !isChanged(left, right)) return { kind: 'identical' }
  const strange = [left, right].find(({ mime }) => !isText(mime))
  if (strange !== undefined) {
    return {
      kind: 'not-compared',
      sentence: compareTexts.noWords({ type: strange.mime }),
    }
  }
  const documents = await Promise.all([needs.texts.read(left), needs.texts.read(right)])
  const [before, after] = documents
  const result = await needs.comparing.run({
    left: { ...before, url: left.url },
    right: { ...after, url: right.url },
  })
  return { kind: 'compared', ...result }
}

function isText(mime: string): boolean {
  return mime === '' || /^text\/|[/+](?:xml|json|javascript|ecmascript|x-javascript)$|xhtml/i.test(mime)
}
