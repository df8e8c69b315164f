// Formats that hold links in ways of their own, by all media types that are in use for them: links are looked for in these when
// they are crawled, and rewritten when they are replayed.

type LinkingFormat = 'html' | 'xhtml' | 'svg' | 'manifest' | 'hls' | 'dash'

export const linkingFormatOfType: ReadonlyMap<string, LinkingFormat> = new Map([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'xhtml'],
  ['application/vnd.wap.xhtml+xml', 'xhtml'],
  ['image/svg+xml', 'svg'],
  ['application/manifest+json', 'manifest'],
  ['application/vnd.apple.mpegurl', 'hls'],
  ['application/x-mpegurl', 'hls'],
  ['audio/mpegurl', 'hls'],
  ['audio/x-mpegurl', 'hls'],
  ['application/dash+xml', 'dash'],
])
