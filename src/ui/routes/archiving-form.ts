// The form that begins a crawl: addresses that were typed, and those of a file that was sent along.

import { readSeedList } from '../../crawl/seeds/seed-list.ts'
import { readMultipartForm } from '../../formats/http/multipart-form.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import type { PageRequest } from '../http.ts'
import { PageError } from '../page-error.ts'

interface ArchivingForm {
  readonly form: URLSearchParams
  /** Of the file. */
  readonly listed: readonly Url[]
}

const fileBytesMax = 20_000_000

/** Throws SeedsMalformed for a file that is no list of addresses. */
export async function archivingForm(request: PageRequest): Promise<ArchivingForm> {
  const type = request.header('content-type') ?? ''
  if (!/^multipart\/form-data/i.test(type))
    return { form: new URLSearchParams(await request.text()), listed: [] }
  const parts = readMultipartForm(await request.body(fileBytesMax), type)
  if (parts === undefined) throw new PageError('request-malformed')
  const form = new URLSearchParams()
  let listed: readonly Url[] = []
  for (const { name, filename, bytes } of parts) {
    if (filename === undefined) form.append(name, bytes.toString('utf8'))
    // A field for a file that was left empty is sent all the same.
    else if (bytes.length > 0) listed = listedIn(bytes)
  }
  return { form, listed }
}

function listedIn(bytes: Uint8Array): Url[] {
  const { urls, sitemaps } = readSeedList(bytes)
  // A crawl follows sitemaps by itself.
  return [...urls, ...sitemaps].map((href) => parseUrl(href))
}
