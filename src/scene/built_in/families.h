// The built-in scenes, by family.
#pragma once

#include "scene/built_in/built_in.h"

namespace stickslip::document {

// stacks.cpp
BuiltIn wall();
BuiltIn tower();
BuiltIn stack();
BuiltIn pyramid();
BuiltIn mass_ratio();

// card_house.cpp
BuiltIn card_house();

// sliding.cpp
BuiltIn incline();
BuiltIn sliding_capsule();
BuiltIn sliding_three_spheres();

// heaps.cpp
BuiltIn spheres();
BuiltIn boxes();
BuiltIn beads();

// toys.cpp
BuiltIn dominoes();
BuiltIn newtons_cradle();
BuiltIn spinning_top();

// areas.cpp
BuiltIn cubes_on_edge();
BuiltIn nested_stack();
BuiltIn octagon_slide();
BuiltIn spinning_discs();

// volumes.cpp
BuiltIn deflated_balls();
BuiltIn spinning_balls();
BuiltIn tumbling_cylinders();
BuiltIn spinning_coin();
BuiltIn sloppy_stack();
BuiltIn soft_grasp();
BuiltIn bumpy_cube();
BuiltIn salad();

// friction.cpp
BuiltIn anisotropic_slope();
BuiltIn log_slide();
BuiltIn hopper();
BuiltIn polisher();
BuiltIn rolling_stones();
BuiltIn sawtooth();

// figures.cpp
BuiltIn agony();
BuiltIn pain();
BuiltIn ragdolls();

// snakes.cpp
BuiltIn arched_snake();
BuiltIn heavy_on_snake();

// linkages.cpp
BuiltIn heavy_chain();
BuiltIn rope_bridge();
BuiltIn four_bar();
BuiltIn slider_crank();
BuiltIn car();

// grasps.cpp
BuiltIn pinch_grasp();
BuiltIn robot_hand();

// meshes_heaps.cpp
BuiltIn jacks();
BuiltIn glasses();
BuiltIn chalices();
BuiltIn funnel();
BuiltIn bowl();

// meshes_masonry.cpp
BuiltIn temple();
BuiltIn colosseum();

// meshes_machines.cpp
BuiltIn gears();
BuiltIn bullet_through_paper();
BuiltIn marble_run();
BuiltIn hook_and_ring();
BuiltIn nut_and_bolt();

// soft.cpp
BuiltIn soft_stack();
BuiltIn soft_on_rigid();
BuiltIn rigid_on_soft();
BuiltIn cantilever();
BuiltIn squeezed_ball();
BuiltIn twisted_bar();
BuiltIn jelly_hand();
BuiltIn gripper();
BuiltIn tyre();
BuiltIn soft_jacks();
BuiltIn fish_in_net();
BuiltIn strap_over_log();

// barriers.cpp
BuiltIn mat_twist();
BuiltIn chain_mail();
BuiltIn ball_through_rollers();
BuiltIn soft_cards();
BuiltIn card_shuffle();
BuiltIn arch();

}   // namespace stickslip::document
