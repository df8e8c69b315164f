// A form with files (multipart/form-data, RFC 7578), read whole: its sender has bounded it. Undefined for what is none.

export interface FormPart {
  readonly name: string
  /** Of a file. */
  readonly filename: string | undefined
  readonly bytes: Buffer
}

const partsMax = 100
const headBytesMax = 4_096
const headEnd = Buffer.from('\r\n\r\n')

export function readMultipartForm(body: Uint8Array, contentType: string): FormPart[] | undefined {
  const match = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined) return undefined
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const delimiter = Buffer.from(`--${boundary}`)
  const parts: FormPart[] = []
  let at = bytes.indexOf(delimiter)
  if (at !== 0) return undefined
  while (parts.length < partsMax) {
    const start = at + delimiter.length
    if (bytes.toString('latin1', start, start + 2) === '--') return parts
    const end = bytes.indexOf(Buffer.concat([Buffer.from('\r\n'), delimiter]), start)
    const part = end === -1 ? undefined : partOf(bytes.subarray(start + 2, end))
    if (part === undefined) return undefined
    parts.push(part)
    at = end + 2
  }
  return undefined
}

function partOf(bytes: Buffer): FormPart | undefined {
  const end = bytes.indexOf(headEnd)
  if (end === -1 || end > headBytesMax) return undefined
  const head = bytes.toString('utf8', 0, end)
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head)?.[1]
  const name = disposition && /(?:^|;)\s*name="([^"]*)"/i.exec(disposition)?.[1]
  if (disposition === undefined || name === undefined) return undefined
  const filename = /(?:^|;)\s*filename="([^"]*)"/i.exec(disposition)?.[1]
  return { name, filename, bytes: bytes.subarray(end + headEnd.length) }
}
