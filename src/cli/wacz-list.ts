// A JSON list of WACZ files (`"profile": "multi-wacz-package"`), as Browsertrix writes them for ReplayWeb.page: which of the files
// that it names are here.
//
// Looked for are files in the folder of the list and in folders below it: what somebody else wrote names nothing beyond that, and
// nothing is fetched. Where a list names a file by its address on the web, a file of that name does.

import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { parseJson } from '../model/json.ts'
import type { DiskFile } from '../platform/storage/disk.ts'
import { openInputFile } from './input/input-file.ts'

interface WaczList {
  /** Paths of those that are here. */
  readonly present: readonly string[]
  /** As the list names them. */
  readonly missing: readonly string[]
}

const listBytesMax = 16 * 1024 * 1024
const resourcesMax = 10_000
const nameCharsMax = 4_096

const text = v.optional(v.pipe(v.string(), v.maxLength(nameCharsMax)))
const listSchema = v.object({
  profile: v.literal('multi-wacz-package'),
  resources: v.pipe(v.array(v.object({ name: text, path: text, url: text })), v.maxLength(resourcesMax)),
})
type Resource = v.InferOutput<typeof listSchema>['resources'][number]

/** undefined when the file is no such list. */
export async function readWaczList(file: string): Promise<WaczList | undefined> {
  const list = v.safeParse(listSchema, await jsonIn(file))
  if (!list.success) return undefined
  const present: string[] = []
  const missing: string[] = []
  for (const resource of list.output.resources) {
    const found = await nextTo(file, namesOf(resource))
    if (found !== undefined) present.push(found)
    else missing.push(printable(resource.path ?? resource.url ?? resource.name ?? 'a file without name'))
  }
  return { present, missing }
}

/** Nothing in it disturbs a terminal. */
function printable(name: string): string {
  return name.toWellFormed().replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
}

async function jsonIn(file: string): Promise<unknown> {
  const source = await openInputFile(file)
  try {
    return parseJson(await textOf(source))
  } finally {
    await source.close()
  }
}

async function textOf(source: DiskFile): Promise<string> {
  const sizeBytes = await source.sizeBytes()
  const isObject = Buffer.from(await source.read(0, 1)).toString() === '{'
  if (!isObject || sizeBytes > listBytesMax) return ''
  return Buffer.from(await source.read(0, sizeBytes)).toString()
}

async function nextTo(list: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const path = join(dirname(list), name)
    const isFile = await stat(path).then(
      (it) => it.isFile(),
      () => false,
    )
    if (isFile) return path
  }
  return undefined
}

/** What the file may be called here, in the order in which it is looked for. */
function namesOf({ name, path, url }: Resource): string[] {
  const written = [path, name, url].filter((one) => one !== undefined)
  const lastParts = written.map((one) => /([^/]+?)(?:[?#].*)?$/.exec(one)?.[1] ?? '')
  return [...written, ...lastParts].filter(isBelow)
}

function isBelow(name: string): boolean {
  return name !== '' && !/[\\:\0]|^\//.test(name) && !name.split('/').includes('..')
}
