"""The product with one page more: the smallest that live.js and runpage.js can work on."""
