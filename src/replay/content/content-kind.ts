// Content kind: what a capture is to be rewritten as. Modifier, the browser's own word (Sec-Fetch-Dest), the declared type
// and the first bytes decide together: servers send scripts as HTML, pages without any type, and images as text.
//
// What a script fetches for itself stays as it was archived: only the script knows what it is, and wombat rewrites what
// it makes of it.

import { linkingFormatOfType } from '../../formats/markup/linking-types.ts'
import type { Modifier } from '../replay-address.ts'

export type ContentKind =
  | 'html'
  | 'xhtml'
  | 'svg'
  | 'xml'
  | 'css'
  | 'script'
  | 'module'
  | 'worker'
  | 'module-worker'
  | 'manifest'
  | 'hls'
  | 'dash'
  | 'none'

type Role = 'page' | 'script' | 'module' | 'worker' | 'module-worker' | 'style' | 'image' | 'media' | 'data'

const roleOfModifier: Readonly<Record<Modifier, Role>> = {
  '': 'page',
  id_: 'data',
  mp_: 'page',
  if_: 'page',
  fr_: 'page',
  js_: 'script',
  esm_: 'module',
  wkr_: 'worker',
  wkrm_: 'module-worker',
  wkrf_: 'data',
  sw_: 'worker',
  cs_: 'style',
  im_: 'image',
  oe_: 'media',
}

const roleOfDestination = new Map<string, Role>([
  ['document', 'page'],
  ['iframe', 'page'],
  ['frame', 'page'],
  ['embed', 'page'],
  ['object', 'page'],
  ['manifest', 'page'],
  ['script', 'script'],
  ['style', 'style'],
  ['image', 'image'],
  ['worker', 'worker'],
  ['sharedworker', 'worker'],
  ['audio', 'media'],
  ['video', 'media'],
  ['track', 'media'],
  ['font', 'media'],
  ['empty', 'data'],
  ['json', 'data'],
])

const kindOfRole: Partial<Record<Role, ContentKind>> = {
  script: 'script',
  module: 'module',
  worker: 'worker',
  'module-worker': 'module-worker',
  style: 'css',
}

interface KindClues {
  readonly modifier: Modifier
  /** Sec-Fetch-Dest, where the browser says it. */
  readonly destination: string | undefined
  /** Of the declared type, lower case, without parameters. */
  readonly mime: string
}

/** Before the bytes are at hand: whether it is worth reading them into memory. */
export function mayBeRewritten(clues: KindClues): boolean {
  const role = roleOf(clues)
  if (role === 'data') return false
  if (/^(?:image|audio|video|font)\//.test(clues.mime)) return linkingFormatOfType.has(clues.mime)
  return !/^application\/(?:pdf|zip|gzip|wasm|x-shockwave-flash|vnd\.openxml.*)$/.test(clues.mime)
}

/** `start`: the first kilobyte, a character per byte. */
export function kindOf(clues: KindClues, start: string): ContentKind {
  const role = roleOf(clues)
  if (role === 'data' || isBinary(start)) return 'none'
  const direct = kindOfRole[role]
  if ((direct === 'module' || direct === 'module-worker') && /[/+]json$/.test(clues.mime)) return 'none'
  if (direct !== undefined) return isMarkup(start) && /html|xml/.test(clues.mime) ? 'none' : direct
  const kind = kindOfPage(clues.mime, start)
  if (role === 'image') return kind === 'svg' ? kind : 'none'
  return role === 'media' && kind === 'manifest' ? 'none' : kind
}

function roleOf({ modifier, destination }: KindClues): Role {
  const named = roleOfModifier[modifier]
  if (modifier === 'id_') return 'data'
  const told = roleOfDestination.get(destination ?? '')
  if (told === undefined) return named
  // The browser knows a script, not whether it is a module; and wombat's own requests say more than `empty`.
  if (told === 'script' && (named === 'module' || named === 'worker' || named === 'module-worker'))
    return named
  // Only workers ask so, and what one imports is a worker's script too.
  if (told === 'script' && modifier === 'wkrf_') return 'worker'
  if (told === 'worker' && named === 'module-worker') return named
  return told
}

function kindOfPage(mime: string, start: string): ContentKind {
  const known = linkingFormatOfType.get(mime)
  if (known !== undefined) return known
  if (/[/+]xml$/.test(mime)) return kindOfXml(start)
  if (mime !== '' && mime !== 'application/octet-stream' && mime !== 'unknown/unknown') return 'none'
  if (start.startsWith('#EXTM3U')) return 'hls'
  if (
    /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|!--|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link|center|frameset)[\s>/]/i.test(
      start,
    )
  )
    return 'html'
  return /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|svg[\s>])/.test(start) ? kindOfXml(start) : 'none'
}

function kindOfXml(start: string): ContentKind {
  const root = /<([a-z][\w-]*(?::[\w-]+)?)[\s>/]/i.exec(
    start.replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<![^>]*>/g, ''),
  )?.[1]
  const name = root?.toLowerCase().replace(/^.*:/, '')
  if (name === 'html') return 'xhtml'
  if (name === 'mpd') return 'dash'
  return name === 'svg' ? 'svg' : 'xml'
}

function isMarkup(start: string): boolean {
  return /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|html|head|body|\?xml)/i.test(start)
}

/** Control characters that no text has, in a share that no stray ones reach; UTF-16 is told by its mark. */
function isBinary(start: string): boolean {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(start)) return false
  if (start.startsWith('%PDF-')) return true
  const controls = start.match(/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0
  return controls * 32 > start.length
}
