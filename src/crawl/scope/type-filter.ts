// Type filter: which kinds of resources a crawl keeps (`--types html,image`).
//
// Asked twice: before the fetch, where only the name tells (`.png`) and who does not tell is let pass; and of the
// response's media type, which decides. Style sheets and scripts are kinds of their own.

import type { Url } from '../../model/url/url.ts'
import { ScopeError } from './url-patterns.ts'

const typeNames = ['html', 'image', 'css', 'script', 'font', 'audio', 'video', 'pdf', 'other'] as const
type TypeName = (typeof typeNames)[number]

const byExtension = new Map<string, TypeName>()
const extensions: Partial<Record<TypeName, string>> = {
  html: 'html htm xhtml shtml php asp aspx jsp cgi',
  image: 'png jpg jpeg gif webp avif svg ico bmp tif tiff jxl',
  css: 'css',
  script: 'js mjs',
  font: 'woff woff2 ttf otf eot',
  audio: 'mp3 ogg oga opus wav flac m4a aac',
  video: 'mp4 webm ogv mov avi mkv m4v ts',
  pdf: 'pdf',
  other: 'zip gz tgz xz bz2 7z rar exe dmg iso doc docx xls xlsx ppt pptx odt epub bin apk deb rpm jar',
}
for (const [type, names] of Object.entries(extensions)) {
  for (const name of names.split(' ')) byExtension.set(name, type as TypeName)
}

export class TypeFilter {
  readonly #types: ReadonlySet<TypeName> | 'all'

  /** `all`, or names with commas between. Throws ScopeError for an unknown one. */
  constructor(text = 'all') {
    const names = text.split(',').map((name) => name.trim())
    for (const name of names) {
      if (name !== 'all' && !typeNames.includes(name as TypeName)) {
        throw new ScopeError(`"${name}" is no type: there are all, ${typeNames.join(', ')}`)
      }
    }
    this.#types = names.includes('all') ? 'all' : new Set(names as TypeName[])
  }

  get isForAll(): boolean {
    return this.#types === 'all'
  }

  /** Why its name rules it out; undefined when it may be of a wanted type. Pages are needed to find the rest. */
  refusal(url: Url): string | undefined {
    if (this.#types === 'all') return undefined
    const type = typeOfName(url)
    if (type === undefined || type === 'html' || this.#types.has(type)) return undefined
    return `type ${type} is not wanted`
  }

  /** Whether a response of this media type is kept. */
  keeps(mediaType: string): boolean {
    return this.#types === 'all' || this.#types.has(typeOfMedia(mediaType))
  }
}

/** The same text, if a filter can be made of it; undefined for all. Throws ScopeError. */
export function checkTypes(text: string): string | undefined {
  return new TypeFilter(text).isForAll ? undefined : text
}

function typeOfName(url: Url): TypeName | undefined {
  const { target } = url
  // With a query, the name before it is that of a program.
  if (target.includes('?')) return undefined
  const name = target.slice(target.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot === -1 ? undefined : byExtension.get(name.slice(dot + 1).toLowerCase())
}

export function typeOfMedia(mediaType: string): TypeName {
  const type = mediaType.split(';', 1)[0]!.trim().toLowerCase()
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (type === 'text/css') return 'css'
  if (type === 'application/pdf') return 'pdf'
  if (type.includes('javascript') || type.includes('ecmascript')) return 'script'
  if (type.startsWith('font/') || type.includes('font-')) return 'font'
  for (const family of ['image', 'audio', 'video'] as const) if (type.startsWith(`${family}/`)) return family
  return 'other'
}
