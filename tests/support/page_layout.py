"""What is wrong with how a page looks, as a browser measures it."""

from __future__ import annotations

from tests.support.browser import Browser

_MEASURE = r"""
(() => {
  const found = [], page = document.documentElement, wide = page.clientWidth;
  if (page.scrollWidth > wide) found.push(`the page is ${page.scrollWidth} px wide, not ${wide}`);
  const colours = text => (text.match(/[\d.]+/g) || []).map(Number);
  const light = rgb => {
    const [r, g, b] = rgb.slice(0, 3).map(
      v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const rgb = colours(getComputedStyle(e).backgroundColor);
      if (rgb.length === 3 || rgb[3] === 1) return rgb;
    }
    return [255, 255, 255];
  };
  const rects = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const text = node.data, e = node.parentElement;
    if (!text.trim() || e.closest("svg")) continue;
    if (!e.checkVisibility({contentVisibilityAuto: true})) continue;
    const style = getComputedStyle(e), range = document.createRange();
    if (parseFloat(style.fontSize) < 11) found.push(`small (${style.fontSize}): ${text}`);
    const [dark, bright] = [light(colours(style.color)), light(behind(e))].sort((a, b) => a - b);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < 4.5) found.push(`pale (${ratio.toFixed(1)}): ${text}`);
    const scrolled = e.closest(".scroll");
    for (const word of text.matchAll(/\S*[\d\/]\S*(?: (?:[KMGTP]i)?B\b)?/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(r => Math.round(r.bottom)));
      if (lines.size > 1) found.push(`broken: ${word[0]}`);
    }
    let [first, last] = [-Infinity, Infinity];
    for (let box = e; box && box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "hidden") continue;
      const {left, right} = box.getBoundingClientRect();
      [first, last] = [Math.max(first, left), Math.min(last, right)];
      if (box.scrollWidth > box.clientWidth + 1 && !box.closest("[title]"))
        found.push(`cut, and nowhere in full: ${text}`);
    }
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      const [left, right] = [Math.max(r.left, first), Math.min(r.right, last)];
      if (right <= left) continue;
      if (!scrolled && (left < -1 || right > wide + 1)) found.push(`off the page: ${text}`);
      rects.push({node, text, left, right, top: r.top + r.height * 0.2,
                  bottom: r.bottom - r.height * 0.2});
    }
  }
  rects.sort((a, b) => a.top - b.top);
  rects.forEach((a, n) => {
    for (let m = n + 1; m < rects.length && rects[m].top < a.bottom; m++) {
      const b = rects[m];
      if (a.node !== b.node && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1)
        found.push(`overlaps: ${a.text} and ${b.text}`);
    }
  });
  return found;
})()
"""
_COLOURS = """
(async () => {
  const image = new Image();
  image.src = "data:image/png;base64,PICTURE";
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), found = new Map();
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const data = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  for (const pixel of data) found.set(pixel, (found.get(pixel) || 0) + 1);
  return [...found.values()].map(count => count / data.length).sort((a, b) => b - a);
})()
"""


def complaints(browser: Browser, page: str, width: int, *, dark: bool = False) -> list[str]:
    """All that is wrong with a page in a window of so many pixels.

    It is wider than the window; a text is off the page, cut, upon another one, smaller than 11
    px, or of little contrast (below 4.5); a number, a name or a path is broken at a line's end.
    """
    browser.show(page, width, dark=dark)
    found = browser.run(_MEASURE)
    assert isinstance(found, list)
    return found


def colours(browser: Browser, png: str) -> list[float]:
    """The parts of a picture (base64) that are of one colour each, the largest first."""
    found = browser.run(_COLOURS.replace("PICTURE", png))
    assert isinstance(found, list)
    return found
