// Small pictures of pages, as a browser saw them: `/thumbnail/20200131120000/https://example.com/`, the nearest to that time.
//
// The bytes may have come from anybody, with an import: they are given out as pictures only, whatever they are.

import { viewUrl } from '../../formats/warc/page-views.ts'
import { timestampSpan } from '../../model/timestamp.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { archivedUrl } from '../address.ts'
import type { PageArchive, PagePictures } from '../archive.ts'
import type { PageRoute } from '../http.ts'

const pattern = /^\/thumbnail\/([0-9]{14})\/(.+)$/s
const types = new Set(['image/jpeg', 'image/png', 'image/webp'])

interface Needs {
  readonly archive: Pick<PageArchive, 'nearest' | 'isTakenDown'>
  readonly pictures: PagePictures
}

export function thumbnailRoute(needs: Needs): PageRoute {
  return {
    methods: ['GET'],
    host: 'archive',
    path: pattern,
    isPage: false,
    handle: async ({ target }) => (await pictureAt(needs, target)) ?? nothingThere,
  }
}

async function pictureAt({ archive, pictures }: Needs, target: string): Promise<HttpAnswer | undefined> {
  const [, digits, written] = pattern.exec(target)!
  const page = archivedUrl(written!)
  const filed = viewUrl(page, 'thumbnail')
  if (filed === undefined || archive.isTakenDown(page)) return undefined
  const version = await archive.nearest(filed, timestampSpan(digits!).fromMs)
  if (version === undefined || !types.has(version.mime)) return undefined
  const body = await pictures.read(version)
  if (body === undefined) return undefined
  const headers = [
    ['Content-Type', version.mime],
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', "default-src 'none'; sandbox"],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    // It may be taken down.
    ['Cache-Control', 'private, max-age=300'],
  ] as const
  return { status: 200, headers, body }
}

const nothingThere: HttpAnswer = {
  status: 404,
  headers: [['Content-Type', 'text/plain; charset=utf-8']],
  body: 'There is no such picture.\n',
}
