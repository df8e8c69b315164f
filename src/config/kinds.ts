// Kinds of setting: how a person writes a value, what the program gets, and how it is printed again.
//
// Invariant: read(print(value)) gives the value back.

import { isAbsolute } from 'node:path'

/** Thrown by `read`; the loader adds which setting it was and where the value came from. */
export class BadValue extends Error {}

export interface Kind<T> {
  /** What may be written, for error messages: "a size such as 500MB". */
  readonly expects: string
  /** Reads what stands in a file (any TOML value) or in the environment or on the command line (a string). */
  read(written: unknown): T
  print(value: T): string
}

const byteUnits: Record<string, number> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
}
const msUnits: Record<string, number> = { ms: 1, s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 }

/** "500MB", "1.5 GiB", "4096" (bytes). */
export const bytes: Kind<number> = {
  expects: 'a size such as 500MB, 1.5GiB or 4096',
  read(written) {
    const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?b)?$/i.exec(String(written).trim())
    const value = match === null ? Number.NaN : Number(match[1]) * byteUnits[(match[2] ?? 'B').toUpperCase()]!
    if (!Number.isSafeInteger(Math.round(value))) throw new BadValue()
    return Math.round(value)
  },
  print(value) {
    for (const unit of ['TB', 'GB', 'MB', 'kB']) {
      const size = value / byteUnits[unit.toUpperCase()]!
      const text = `${size}${unit}`
      if (size >= 1 && Number(size.toFixed(3)) === size && bytes.read(text) === value) return text
    }
    return `${value}B`
  },
}

/** With less than `from` nothing would work: whoever says so forgot the unit. */
export function bytesFrom(from: number, example: string): Kind<number> {
  return {
    expects: `a size of at least ${bytes.print(from)}, such as ${example}`,
    read(written) {
      const value = bytes.read(written)
      if (value < from) throw new BadValue()
      return value
    },
    print: bytes.print,
  }
}

/** "250ms", "30s", "5m", "24h", "7d". */
export const duration: Kind<number> = {
  expects: 'a time such as 250ms, 30s, 5m, 24h or 7d',
  read(written) {
    const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(String(written).trim())
    const value = match === null ? Number.NaN : Number(match[1]) * msUnits[match[2]!]!
    if (!Number.isSafeInteger(Math.round(value))) throw new BadValue()
    return Math.round(value)
  },
  print(value) {
    if (value === 0) return '0s'
    for (const unit of ['d', 'h', 'm', 's']) {
      if (value % msUnits[unit]! === 0) return `${value / msUnits[unit]!}${unit}`
    }
    return `${value}ms`
  },
}

export function wholeNumber(from: number, to: number): Kind<number> {
  return {
    expects: `a whole number from ${from} to ${to}`,
    read(written) {
      const value = typeof written === 'string' && written.trim() === '' ? Number.NaN : Number(written)
      if (!Number.isInteger(value) || value < from || value > to) throw new BadValue()
      return value
    },
    print: String,
  }
}

/** A share of a whole: "25%" or "0.25". */
export const share: Kind<number> = {
  expects: 'a share such as 25% or 0.25',
  read(written) {
    const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(String(written).trim())
    const value = match === null ? Number.NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1)
    if (!(value >= 0 && value <= 1)) throw new BadValue()
    return value
  },
  print: (value) => `${Number((value * 100).toFixed(6))}%`,
}

/** Less than all, or no reader would ever begin anew. */
export const dampingShare: Kind<number> = {
  expects: 'a share of at most 99%, such as 85% or 0.85',
  read(written) {
    const value = share.read(written)
    if (value > 0.99) throw new BadValue()
    return value
  },
  print: share.print,
}

export function oneOf<const T extends string>(...words: T[]): Kind<T> {
  return {
    expects: `one of ${words.join(', ')}`,
    read(written) {
      if (!words.includes(written as T)) throw new BadValue()
      return written as T
    },
    print: (value) => value,
  }
}

export const yesOrNo: Kind<boolean> = {
  expects: 'yes or no',
  read(written) {
    if (written === true || written === 'yes' || written === 'true') return true
    if (written === false || written === 'no' || written === 'false') return false
    throw new BadValue()
  },
  print: (value) => (value ? 'yes' : 'no'),
}

export interface HostAndPort {
  /** IPv6 addresses without brackets. */
  readonly host: string
  readonly port: number
}

/** "localhost:7070", "0.0.0.0:80", "[::1]:7070". */
export const hostAndPort: Kind<HostAndPort> = {
  expects: 'HOST:PORT, such as localhost:7070 or [::1]:7070',
  read(written) {
    const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):([0-9]{1,5})$/i.exec(String(written).trim())
    const port = Number(match?.[3])
    if (match === null || port > 65_535) throw new BadValue()
    return { host: (match[1] ?? match[2]!).toLowerCase(), port }
  },
  print: ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
}

/** How to reach somebody: the address of a page or of a mailbox; or nothing. Goes into a header as it is. */
export const contactOrNone: Kind<string> = {
  expects: 'the address of a page or an e-mail address, such as https://example.org/crawler, or empty',
  read(written) {
    const text = String(written).trim()
    const isMail = /^[\w.+-]{1,64}@[a-z0-9.-]{1,190}$/i.test(text)
    const isPage = /^https?:\/\/[!-'*-~]{1,200}$/i.test(text) && URL.canParse(text)
    if (text !== '' && !isMail && !isPage) throw new BadValue()
    return text
  },
  print: (value) => value,
}

/** "https://archive.example.org", or nothing. */
export const originOrNone: Kind<string> = {
  expects: 'an origin such as https://archive.example.org, or empty',
  read(written) {
    const text = String(written).trim()
    if (text === '') return ''
    const url = URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol) || `${url.origin}/` !== url.href) throw new BadValue()
    return url.origin
  },
  print: (value) => value,
}

/** Of a program. */
export const urlOrNone: Kind<string> = {
  expects: 'an http or https address, or empty',
  read(written) {
    const text = String(written).trim()
    if (text !== '' && !/^https?:\/\/[^\s/]+/i.test(text)) throw new BadValue()
    return text
  },
  print: (value) => value,
}

export const mailAddressOrNone: Kind<string> = {
  expects: 'an e-mail address, or empty',
  read(written) {
    const text = String(written).trim()
    // Goes into a header as it is.
    if (text !== '' && !/^[\w.+-]{1,64}@[\w.-]{1,200}$/.test(text)) throw new BadValue()
    return text
  },
  print: (value) => value,
}

export const fileOrNone: Kind<string> = {
  expects: 'the absolute path of a file, or empty',
  read(written) {
    const text = String(written).trim()
    if (text !== '' && !isAbsolute(text)) throw new BadValue()
    return text
  },
  print: (value) => value,
}

export interface ListenPlace {
  /** All addresses of this machine when not given. */
  readonly host: string | undefined
  readonly port: number
}

/** "7071", "192.0.2.1:7071", "[::1]:7071". */
export const listenPlace: Kind<ListenPlace> = {
  expects: 'a port such as 7071, or ADDRESS:PORT such as 192.0.2.1:7071',
  read(written) {
    const match = /^(?:(?:\[([0-9a-f:.]+)\]|([0-9.]+)):)?([0-9]{1,5})$/i.exec(String(written).trim())
    const port = Number(match?.[3])
    if (match === null || port > 65_535) throw new BadValue()
    return { host: match[1] ?? match[2], port }
  },
  print: ({ host, port }) => {
    if (host === undefined) return String(port)
    return `${host.includes(':') ? `[${host}]` : host}:${port}`
  },
}

/** Folders: a list in the file, else with colons between them, as in PATH. */
export const folders: Kind<readonly string[]> = {
  expects: 'absolute paths of folders, with colons between them',
  read(written) {
    const list: unknown[] = Array.isArray(written) ? written : String(written).split(':')
    const paths = list.filter((path) => path !== '')
    if (paths.some((path) => typeof path !== 'string' || !path.startsWith('/'))) throw new BadValue()
    return paths as string[]
  },
  print: (list) => list.join(':'),
}

/** Several words: a list in the file, else with spaces or commas between them. */
export const words: Kind<readonly string[]> = {
  expects: 'words with spaces or commas between them',
  read(written) {
    const list = Array.isArray(written) ? written : String(written).split(/[\s,]+/)
    if (list.some((word) => typeof word !== 'string')) throw new BadValue()
    return list.filter((word) => word !== '')
  },
  print: (list) => list.join(' '),
}
