#pragma once
namespace stickslip {
struct RayMemory {};
}   // namespace stickslip
