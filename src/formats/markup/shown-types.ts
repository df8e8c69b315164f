// Shown types: what browsers show in a sandboxed frame. They show no PDF there, and no archive file anywhere.

/** `mime`: lower case, without parameters; `''` where nothing was said, which browsers find out for themselves. */
export function isShownInFrames(mime: string): boolean {
  return mime === '' || /^(?:text|image|audio|video)\/|html|xml|json|javascript|not-modified/.test(mime)
}
