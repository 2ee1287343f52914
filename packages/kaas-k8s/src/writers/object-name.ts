import { createHash } from "node:crypto";

/** What Kubernetes takes as the name of an object (RFC 1123 subdomain). */
const VALID = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LENGTH_MAX = 253;

/** The end of every name that was made up; a topic that is named like that itself gets a made up name too. */
const MADE_UP = /--[0-9a-v]{26}$/;

/** Characters of the topic's name that a made up one begins with, for people. */
const READABLE_LENGTH = 200;

export function isObjectName(name: string): boolean {
  return name.length <= LENGTH_MAX && VALID.test(name);
}

/**
 * The name of the KafkaTopic for a topic: its own where Kubernetes can hold that, else one that begins alike and ends in a
 * hash of 130 bits. The same for the same topic, and never the same for two.
 */
export function objectNameOf(topicName: string): string {
  return isObjectName(topicName) && !MADE_UP.test(topicName) ? topicName : madeUpName(topicName);
}

/** A name that only this topic has, also where another KafkaTopic is called as this topic is. */
export function madeUpName(topicName: string): string {
  const readable = topicName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, READABLE_LENGTH)
    .replace(/^-+|-+$/g, "");
  return `${readable === "" ? "topic" : readable}--${hash(topicName)}`;
}

/** 130 bits of SHA-256, five a character. */
function hash(text: string): string {
  const bits = createHash("sha256").update(text, "utf8").digest("hex").slice(0, 33);
  return (BigInt(`0x${bits}`) >> 2n).toString(32).padStart(26, "0");
}
